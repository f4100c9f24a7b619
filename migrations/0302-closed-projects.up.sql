create table auth.former_project (
  id text not null,
  deleted_at timestamptz default now() not null,
  constraint former_project_pkey primary key (id)
);

create table users.closed_project (
  project_id text not null,
  closed_at timestamptz default now() not null,
  constraint closed_project_pkey primary key (project_id)
);

create function users.is_open(project text) returns boolean language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(1970366051, hashtext(project));
  return not exists (select from users.closed_project where project_id = project);
end $$;
