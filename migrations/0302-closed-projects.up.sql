create table auth.former_project (
  id text primary key,
  deleted_at timestamptz default now() not null
);

create table users.closed_project (
  project_id text primary key,
  closed_at timestamptz default now() not null
);

create function users.is_open(project text) returns boolean language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(1970366051, hashtext(project));
  return not exists (select from users.closed_project where project_id = project);
end $$;
