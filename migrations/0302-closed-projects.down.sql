drop function users.is_open(text);
drop table users.closed_project;
drop table auth.former_project;
