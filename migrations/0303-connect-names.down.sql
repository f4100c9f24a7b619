alter table connect.session drop column app_name;
alter table auth.project drop column connect_name;
