drop function connect.withdraw_consents(uuid, text);
drop table connect.consent;
