drop trigger note_person_status_delete on users.connection;
drop trigger note_person_status_update on users.connection;
drop trigger note_person_status_insert on users.connection;
drop function users.note_person_status();
drop table users.person_status_change;
drop table users.person_status;
