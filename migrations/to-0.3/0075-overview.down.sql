drop index jobs.job_dead;
drop trigger note_connection_insert on users.connection;
drop trigger note_connection_update on users.connection;
drop trigger note_connection_delete on users.connection;
drop function users.note_connection_change();
drop table users.connection_change;
