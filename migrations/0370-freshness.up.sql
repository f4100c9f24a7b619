create schema freshness;

create table freshness.position (
  last_id bigint not null
);
insert into freshness.position (last_id) values (0);

create table freshness.connection (
  connection_id uuid primary key,
  user_id uuid not null,
  project_id text not null,
  provider text not null,
  connected_at timestamptz not null,
  ended_at timestamptz,
  late_at timestamptz,
  stale_since timestamptz,
  stale_kinds text[] default '{}' not null,
  constraint connection_user_id_provider_key unique (user_id, provider)
);
create index connection_late on freshness.connection (provider, late_at) where late_at is not null;

create table freshness.arrival (
  connection_id uuid not null,
  kind text not null,
  user_id uuid not null,
  project_id text not null,
  provider text not null,
  arrivals bigint default 0 not null,
  last_at timestamptz,
  last_data_at timestamptz,
  has_past boolean default false not null,
  gap_day integer,
  gap_longest integer,
  gaps integer[] default '{}' not null,
  state text default 'silent' not null check (state in ('fresh', 'late', 'stale', 'silent', 'paused')),
  since timestamptz default now() not null,
  expected_ms float8,
  check_at timestamptz,
  repairs smallint default 0 not null,
  repaired_at timestamptz,
  repair_open boolean default false not null,
  constraint arrival_pkey primary key (connection_id, kind)
);
create index arrival_due on freshness.arrival (check_at) where check_at is not null;
create index arrival_user on freshness.arrival (user_id);
create index arrival_missing on freshness.arrival (provider, repaired_at) where state in ('late', 'stale');
create index arrival_state on freshness.arrival (project_id, state, connection_id, kind);
create index arrival_of_provider on freshness.arrival (project_id, state, provider, connection_id, kind);

alter table freshness.arrival add constraint arrival_connection_id_fkey
  foreign key (connection_id) references freshness.connection(connection_id) on delete cascade;

create table freshness.hour (
  provider text not null,
  hour timestamptz not null,
  turned integer not null,
  connections integer not null,
  constraint hour_pkey primary key (provider, hour)
);

create table freshness.incident (
  id uuid default gen_random_uuid() primary key,
  provider text not null,
  reason text not null check (reason in ('late', 'failing')),
  turned integer not null,
  connections integer not null,
  started_at timestamptz default now() not null,
  ended_at timestamptz,
  told text
);
create unique index incident_open on freshness.incident (provider) where ended_at is null;
create index incident_started on freshness.incident (started_at);

create function changes.of_freshness() returns trigger language plpgsql security definer
    set search_path to '' as $$
begin
  if (new.stale_since is null) = (old.stale_since is null) or changes.is_erased(new.user_id) then return null; end if;
  perform changes.record(new.user_id, 'connection', case when new.stale_since is null then 'fresh' else 'stale' end,
    new.connection_id || ':freshness', null,
    jsonb_build_object('connection_id', new.connection_id, 'provider', new.provider)
      || case when new.stale_since is null then '{}' else jsonb_build_object('data_types', new.stale_kinds,
        'reason', case when new.ended_at is null then 'no_data' else 'access_ended' end) end);
  return null;
end $$;
create trigger changes after update on freshness.connection
  for each row execute function changes.of_freshness();
