alter table connect.session drop column app_colour, drop column app_logo;
drop table auth.connect_logo;
drop trigger project_noted on auth.project;
alter table auth.project drop column connect_colour, drop column connect_logo;
create trigger project_noted
  after insert or delete or update of name, connect_name, rate_limit_api_key, rate_limit_sdk, require_second_factor
  on auth.project
  for each row
  execute function auth.note_project();
