alter table connect.attempt drop column session_id;
drop table connect.session;
