alter table auth.project add column connect_name text;

-- The name as it was when the link was made.
alter table connect.session add column app_name text;
