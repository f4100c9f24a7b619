-- Data that is read after notifications: what is to be read of each connection and type, and the limits of requests.
create schema pull;

-- The connections of such providers. After `ended_at` nothing is read. `unauthenticated_at`: not before this time does an unauthenticated notification demand a
-- read. `subscribed_at`: when the account's subscriptions were last complete; `subscribe_at`: when they are checked next.
create table pull.connection (
  connection_id uuid primary key,
  provider text not null,
  user_id uuid not null,
  connected_at timestamptz not null,
  ended_at timestamptz,
  unauthenticated_at timestamptz,
  subscribe_at timestamptz,
  subscribed_at timestamptz,
  created_at timestamptz not null default now()
);
create index connection_user on pull.connection (user_id);

-- What is to be read of a connection and type. A row is the job of its reads: due from `run_at`, leased until then while
-- `leased`, idle if it is null. `spans` and `from_cursor` are demanded by notifications and sweeps, `taken` and `taken_cursor`
-- are those that the lease reads, `past` is the rest of a backfill.
create table pull.reading (
  connection_id uuid not null references pull.connection on delete cascade,
  type text not null,
  spans tstzmultirange not null default '{}',
  taken tstzmultirange not null default '{}',
  past tstzmultirange not null default '{}',
  from_cursor boolean not null default false,
  taken_cursor boolean not null default false,
  cursor text,
  last_read_at timestamptz,
  run_at timestamptz,
  leased boolean not null default false,
  attempt integer not null default 0,
  failures integer not null default 0,
  crashes integer not null default 0,
  error text,
  primary key (connection_id, type)
);
create index reading_due on pull.reading ((spans = '{}' and taken = '{}' and not from_cursor and not taken_cursor), run_at)
  where run_at is not null;

-- When each sweep of a type is due.
create table pull.sweep (
  connection_id uuid not null references pull.connection on delete cascade,
  type text not null,
  number integer not null,
  due_at timestamptz not null,
  primary key (connection_id, type, number)
);
create index sweep_due on pull.sweep (due_at);

-- The newest backfill of a connection, and its types.
create table pull.run (
  connection_id uuid primary key references pull.connection on delete cascade,
  id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  state text not null default 'running',
  reason text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create table pull.run_type (
  connection_id uuid not null references pull.run on delete cascade,
  type text not null,
  status text not null default 'waiting',
  reason text,
  parts integer not null,
  parts_done integer not null default 0,
  items integer not null default 0,
  saved integer not null default 0,
  requested_at timestamptz,
  received_at timestamptz,
  primary key (connection_id, type)
);

-- Backfills are reported as those of other services.
create function changes.of_pulled_backfill() returns trigger language plpgsql as $$
declare
  is_open boolean := new.state = 'running';
  c pull.connection;
begin
  if tg_op = 'UPDATE' and new.id = old.id and is_open = (old.state = 'running') then return null; end if;
  select * into c from pull.connection p where p.connection_id = new.connection_id;
  perform changes.record(c.user_id, 'backfill', case when is_open then 'started' else 'completed' end,
    new.id || case when is_open then '' else ':end' end, null,
    jsonb_build_object('backfill_id', new.id, 'connection_id', new.connection_id, 'provider', c.provider)
      || case when is_open then '{}' else jsonb_build_object('status', new.state) end, new.start_time, new.end_time);
  return null;
end $$;
create trigger changes after insert or update on pull.run
  for each row execute function changes.of_pulled_backfill();

create function changes.of_pulled_backfill_type() returns trigger language plpgsql as $$
begin
  if new.status in ('waiting', 'requested') or old.status not in ('waiting', 'requested') then return null; end if;
  perform changes.record(c.user_id, 'backfill', 'type_completed', r.id || ':' || new.type, null,
    jsonb_build_object('backfill_id', r.id, 'connection_id', new.connection_id, 'provider', c.provider, 'data_type', new.type))
  from pull.run r join pull.connection c using (connection_id)
  where r.connection_id = new.connection_id and r.state = 'running';
  return null;
end $$;
create trigger changes after update of status on pull.run_type
  for each row execute function changes.of_pulled_backfill_type();

-- At most 64 spans: more are read as one.
create function pull.capped(spans tstzmultirange) returns tstzmultirange language sql immutable as
$$ select case when (select count(*) from unnest(spans)) > 64 then tstzmultirange(range_merge(spans)) else spans end $$;

-- Limits of requests. `busy_until` is the time at which the requests that were reserved end if they are sent evenly.
create unlogged table pull.rate (
  scope text primary key,
  busy_until timestamptz not null default 'epoch',
  paused_until timestamptz not null default 'epoch'
);

-- Reserves one request in every scope, or in none. Returns the milliseconds until it may be tried again, 0 if it is reserved. A
-- scope permits `bursts` requests at once and one each `intervals_ms`, so in any window of w ms at most burst + w / interval.
create function pull.reserve(scopes text[], intervals_ms float8[], bursts float8[]) returns float8 language plpgsql as $$
declare
  instant timestamptz;
  wait float8;
begin
  insert into pull.rate (scope) select s from unnest(scopes) s order by s on conflict do nothing;
  perform from pull.rate r where r.scope = any(scopes) order by r.scope for update;
  instant := clock_timestamp();
  select max(greatest(0, extract(epoch from r.paused_until - instant) * 1000,
      extract(epoch from greatest(r.busy_until, instant) - instant) * 1000 - (w.burst - 1) * w.interval_ms))
    into wait
    from unnest(scopes, intervals_ms, bursts) w (scope, interval_ms, burst) join pull.rate r using (scope);
  if wait > 0 then return wait; end if;
  update pull.rate r set busy_until = greatest(r.busy_until, instant) + w.interval_ms * interval '1 ms'
    from unnest(scopes, intervals_ms) w (scope, interval_ms) where r.scope = w.scope;
  return 0;
end $$;

-- Subscriptions of applications, as the providers reported them.
create table pull.subscription (
  provider text primary key,
  state text not null,
  checked_at timestamptz not null,
  since timestamptz not null
);

-- Notifications and records that were not used, per day and reason.
create table pull.skipped (
  provider text not null,
  day date not null,
  reason text not null,
  n integer not null,
  primary key (provider, day, reason)
);
