create schema pull;

create function pull.capped(spans tstzmultirange) returns tstzmultirange language sql immutable as $$ select case when (select count(*) from unnest(spans)) > 64 then tstzmultirange(range_merge(spans)) else spans end $$;

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

-- The connections of such providers. After `ended_at` nothing is read. `subscribed_at`: when the account's subscriptions were last complete; `subscribe_at`: when they are checked next.
create table pull.connection (
  connection_id uuid primary key,
  provider text not null,
  user_id uuid not null,
  connected_at timestamptz not null,
  ended_at timestamptz,
  subscribe_at timestamptz,
  subscribed_at timestamptz,
  created_at timestamptz default now() not null
);
create index connection_user on pull.connection (user_id);

-- Limits of requests. `busy_until` is the time at which the requests that were reserved end if they are sent evenly.
create unlogged table pull.rate (
  scope text primary key,
  busy_until timestamptz default '1970-01-01 00:00:00+00' not null,
  paused_until timestamptz default '1970-01-01 00:00:00+00' not null
);

-- What is to be read of a connection and type. A row is the job of its reads: due from `run_at`, leased until then while
-- `leased`, idle if it is null. `spans` and `from_cursor` are demanded by notifications and sweeps, `taken` and `taken_cursor`
-- are those that the lease reads, `past` is the rest of a backfill.
create table pull.reading (
  connection_id uuid not null references pull.connection on delete cascade,
  type text not null,
  spans tstzmultirange default '{}'::tstzmultirange not null,
  taken tstzmultirange default '{}'::tstzmultirange not null,
  past tstzmultirange default '{}'::tstzmultirange not null,
  from_cursor boolean default false not null,
  taken_cursor boolean default false not null,
  cursor text,
  last_read_at timestamptz,
  run_at timestamptz,
  leased boolean default false not null,
  attempt integer default 0 not null,
  failures integer default 0 not null,
  crashes integer default 0 not null,
  error text,
  primary key (connection_id, type)
);
create index reading_due on pull.reading ((((spans = '{}'::tstzmultirange) and (taken = '{}'::tstzmultirange) and (not from_cursor) and (not taken_cursor))), run_at) where run_at is not null;

-- The newest backfill of a connection, and its types.
create table pull.run (
  connection_id uuid primary key references pull.connection on delete cascade,
  id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  state text default 'running' not null,
  reason text,
  created_at timestamptz default now() not null,
  finished_at timestamptz
);

-- A data type of a backfill, and how far it is.
create table pull.run_type (
  connection_id uuid not null references pull.run on delete cascade,
  type text not null,
  status text default 'waiting' not null,
  reason text,
  parts integer not null,
  parts_done integer default 0 not null,
  items integer default 0 not null,
  saved integer default 0 not null,
  requested_at timestamptz,
  received_at timestamptz,
  primary key (connection_id, type)
);

-- Notifications and records that were not used, per day and reason.
create table pull.skipped (
  provider text not null,
  day date not null,
  reason text not null,
  n integer not null,
  primary key (provider, day, reason)
);

-- Subscriptions of applications, as the providers reported them.
create table pull.subscription (
  provider text primary key,
  state text not null,
  checked_at timestamptz not null,
  since timestamptz not null,
  -- The secret with which a provider signs its notifications, encrypted. Null: it signs with another one, or not at all.
  secret text
);

-- When each sweep of a type is due.
create table pull.sweep (
  connection_id uuid not null references pull.connection on delete cascade,
  type text not null,
  number integer not null,
  due_at timestamptz not null,
  primary key (connection_id, type, number)
);
create index sweep_due on pull.sweep (due_at);

create trigger changes after insert or update on pull.run for each row execute function changes.of_pulled_backfill();
create trigger changes after update of status on pull.run_type for each row execute function changes.of_pulled_backfill_type();
