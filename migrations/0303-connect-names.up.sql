alter table auth.project add column connect_name text;
drop trigger project_noted on auth.project;
create trigger project_noted
  after insert or delete or update of name, connect_name, rate_limit_api_key, rate_limit_sdk, require_second_factor
  on auth.project
  for each row
  execute function auth.note_project();

-- The name as it was when the link was made.
alter table connect.session add column app_name text;
