-- Why a link to the connect page was made, which the page says. Null: the page says nothing.
alter table connect.session add column reason text;
alter table connect.session add constraint session_reason_check check (reason in ('access_ended', 'no_data'));
