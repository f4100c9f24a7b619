alter table connect.session drop column reason;
