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

-- The newest list of a connection's activities for one purpose, read page by page: for a backfill each activity becomes a job;
-- for a reconciliation they are compared with what is stored. `listed` holds the ids of the pages of a reconciliation so far.
-- `end_time` of a reconciliation and `connected_at` are null until the first page is read. `again_from` is the start of a
-- reconciliation that was requested meanwhile; it follows. `nightly_on` is the last day with a nightly one.
create table activitynet.listing (
  id uuid default gen_random_uuid() primary key,
  purpose text not null check (purpose in ('backfill', 'reconciliation')),
  connection_id uuid not null,
  user_id uuid not null,
  state text default 'listing' not null check (state in ('listing', 'fetching', 'done', 'cancelled', 'stopped', 'failed')),
  reason text,
  start_time timestamp(0) with time zone not null,
  end_time timestamptz(3),
  connected_at timestamptz(3),
  pages integer default 0 not null,
  found integer default 0 not null,
  listed bigint[] default '{}' not null,
  again_from timestamp(0) with time zone,
  nightly_on date,
  failures smallint default 0 not null,
  attempt integer default 0 not null,
  leased boolean default false not null,
  run_at timestamptz default now() not null,
  created_at timestamptz(3) default now() not null,
  finished_at timestamptz(3),
  unique (connection_id, purpose)
);
create index listing_due on activitynet.listing (purpose, run_at) where state = 'listing';
create index listing_user on activitynet.listing (user_id);

-- Events that were skipped, counted by reason and day.
create table activitynet.skipped (
  date date not null,
  reason text not null,
  n bigint not null,
  primary key (date, reason)
);

create trigger changes after insert or update on activitynet.listing for each row when (new.purpose = 'backfill')
  execute function changes.of_backfill();
