-- When data of each connection arrived, and whether more is expected. The arrivals follow from the change log, so that a store
-- costs nothing more.
create schema freshness;

-- The connections of which data is expected. `ended_at`: the provider refused our access. `late_at`: when a kind of data last
-- turned late. `stale_since`: it has stale kinds, and applications were told so.
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
  -- Gaps are looked for once a night: `gaps_at` is the time of the next look, and `gaps_asked` has the local days without data of a
  -- kind that were requested again. Days older than a week are removed from it at each look that requests others.
  gaps_at timestamptz default now() + random() * interval '1 day' not null,
  unique (user_id, provider)
);
create index connection_late on freshness.connection (provider, late_at) where late_at is not null;
create index connection_gaps on freshness.connection (provider, gaps_at) where ended_at is null;

-- Arrivals of a kind of data. `gaps` has the longest gap before an arrival of each earlier day with arrivals in minutes, `gap_longest`
-- that of the day `gap_day` (days since 1970). `check_at`: when the state is judged again.
create table freshness.arrival (
  connection_id uuid not null references freshness.connection on delete cascade,
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
  gaps_asked date[] default '{}' not null,
  primary key (connection_id, kind)
);
create index arrival_due on freshness.arrival (check_at) where check_at is not null;
create index arrival_user on freshness.arrival (user_id);
create index arrival_missing on freshness.arrival (provider, repaired_at) where state in ('late', 'stale');
create index arrival_state on freshness.arrival (project_id, state, connection_id, kind);
create index arrival_of_provider on freshness.arrival (project_id, state, provider, connection_id, kind);

-- Connections that turned late in an hour, of all there were.
create table freshness.hour (
  provider text not null,
  hour timestamptz not null,
  turned integer not null,
  connections integer not null,
  primary key (provider, hour)
);

-- Incidents of providers. One of a provider is open at a time. `told`: what the change log says of it, started or ended.
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

-- How far the change log was read.
create table freshness.position (
  last_id bigint not null
);

insert into freshness.position (last_id) values (0);

create trigger changes after update on freshness.connection for each row execute function changes.of_freshness();
