create schema activitynet;

create function activitynet.clock(ahead_ms float8) returns timestamptz language sql
    return (clock_timestamp() + (ahead_ms * '00:00:00.001'::interval));

create function activitynet.day_of(at timestamptz) returns timestamptz language sql immutable parallel safe
    return date_bin('1 day'::interval, at, '1970-01-01 00:00:00+00'::timestamptz);

create function activitynet.quarter_of(at timestamptz) returns timestamptz language sql immutable parallel safe
    return date_bin('00:15:00'::interval, at, '1970-01-01 00:00:00+00'::timestamptz);

-- An activity of one of our users: the newest events that told of it (seconds of the provider's clock), and the work
-- that follows from them. One row is one job, however many events ask for it.
create table activitynet.activity (
  user_id uuid not null,
  object_id bigint not null,
  connection_id uuid not null,
  create_time bigint,
  update_time bigint,
  delete_time bigint,
  work text check (work in ('fetch', 'delete')),
  priority smallint default 0 not null,
  turn bigint not null,
  version integer default 1 not null,
  attempt integer default 0 not null,
  crashes smallint default 0 not null,
  failures smallint default 0 not null,
  leased boolean default false not null,
  run_at timestamptz default now() not null,
  fetched_at timestamptz,
  streams_for text,
  error text,
  history_id uuid,
  -- The version of the row whose fetch checks an activity that the provider did not list: only that fetch deletes on a 404.
  unlisted_version integer,
  primary key (user_id, object_id)
);
alter table activitynet.activity alter column object_id set statistics 0, alter column streams_for set statistics 0;
create index activity_due on activitynet.activity (priority, turn, object_id) where (work is not null);
create index activity_given_up on activitynet.activity (object_id) where ((work is null) and ((failures > 0) or (error = 'CRASHED')));
create index activity_of_history on activitynet.activity (history_id) where history_id is not null;
create index activity_open_of_connection on activitynet.activity (connection_id) where work is not null;
create index activity_open_of_history on activitynet.activity (history_id) where (history_id is not null) and (work is not null);

-- What an application may still read of the provider, one row for all processes: the quarter hour and the day.
create table activitynet.budget (
  application text primary key,
  quarter timestamptz default '-infinity' not null,
  quarter_used integer default 0 not null,
  quarter_others integer default 0 not null,
  quarter_limit integer,
  day timestamptz default '-infinity' not null,
  day_used integer default 0 not null,
  day_others integer default 0 not null,
  day_limit integer,
  open integer default 0 not null,
  failures integer default 0 not null,
  paused_until timestamptz,
  probing boolean default false not null
);

-- The newest history run of a connection: it lists the activities page by page, and each becomes a job.
create table activitynet.history (
  id uuid default gen_random_uuid() primary key,
  connection_id uuid not null unique,
  user_id uuid not null,
  connected_at timestamptz(3) not null,
  start_time timestamp(0) with time zone not null,
  end_time timestamp(0) with time zone not null,
  state text default 'listing' not null check (state in ('listing', 'fetching', 'done', 'cancelled', 'stopped', 'failed')),
  reason text,
  pages integer default 0 not null,
  found integer default 0 not null,
  failures smallint default 0 not null,
  attempt integer default 0 not null,
  run_at timestamptz default now() not null,
  created_at timestamptz(3) default now() not null,
  listed_at timestamptz(3),
  finished_at timestamptz(3)
);
create index history_due on activitynet.history (run_at) where state = 'listing';
create index history_user on activitynet.history (user_id);

-- The reconciliation of a connection: it lists the activities from `start_time` until now and compares them with what is
-- stored. `listed` holds the ids of the pages that are read so far, and `end_time` and `connected_at` belong to these pages.
-- `again_from` is the start of one that was requested meanwhile; it follows. `nightly_on` is the last day with a nightly one.
create table activitynet.reconciliation (
  connection_id uuid primary key,
  user_id uuid not null,
  state text default 'waiting' not null check (state in ('waiting', 'done', 'stopped', 'failed')),
  start_time timestamp(0) with time zone not null,
  end_time timestamptz(3),
  connected_at timestamptz(3),
  again_from timestamp(0) with time zone,
  nightly_on date,
  reason text,
  pages integer default 0 not null,
  listed bigint[] default '{}' not null,
  failures smallint default 0 not null,
  attempt integer default 0 not null,
  leased boolean default false not null,
  run_at timestamptz default now() not null,
  finished_at timestamptz(3)
);
create index reconciliation_due on activitynet.reconciliation (run_at) where state = 'waiting';
create index reconciliation_user on activitynet.reconciliation (user_id);

-- Events that were skipped, counted by reason and day.
create table activitynet.skipped (
  date date not null,
  reason text not null,
  n bigint not null,
  primary key (date, reason)
);

create trigger changes after insert or update on activitynet.history for each row execute function changes.of_backfill();
