create table auth.access (
  user_id uuid not null,
  hour timestamptz(0) not null,
  kind text not null,
  actor text not null,
  project_id text not null,
  count bigint not null,
  constraint access_pkey primary key (user_id, hour, kind, actor)
);
create index access_hour on auth.access (hour);

create table auth.access_total (
  project_id text not null,
  day date not null,
  actor text not null,
  kind text not null,
  count bigint not null,
  constraint access_total_pkey primary key (project_id, day, actor, kind)
);
create index access_total_day on auth.access_total (day);

create table auth.access_writer (
  process_id uuid primary key,
  sequence bigint not null,
  written_at timestamptz(3) default now() not null
);

create function users.live_of(ids uuid[]) returns setof uuid language plpgsql stable security definer
    set search_path to '' as $$
begin
  return query select id from users.person where id = any(ids) and deleted_at is null;
end $$;
