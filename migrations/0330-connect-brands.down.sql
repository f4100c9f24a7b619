alter table connect.session drop column app_colour, drop column app_logo;
drop table auth.connect_logo;
drop trigger project_noted on auth.project;
alter table auth.project drop column connect_colour, drop column connect_logo;
