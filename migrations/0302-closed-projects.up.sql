-- A project that was deleted. Its id is not used again, so that audit entries keep their meaning.
create table auth.former_project (
  id text not null,
  deleted_at timestamptz default now() not null,
  constraint former_project_pkey primary key (id)
);

-- Projects that get no user any more.
create table users.closed_project (
  project_id text not null,
  closed_at timestamptz default now() not null,
  constraint closed_project_pkey primary key (project_id)
);

-- Whether a project may get a user. The shared lock lasts until the end of the transaction, so that a project is either
-- closed before, which the second statement sees, or closed after, which counts the user.
create function users.is_open(project text) returns boolean language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(1970366051, hashtext(project));
  return not exists (select from users.closed_project where project_id = project);
end $$;
