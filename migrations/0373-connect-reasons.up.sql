alter table connect.session add column reason text;
alter table connect.session add constraint session_reason_check check (reason in ('access_ended', 'no_data'));
