create schema activitynet;

-- The database's clock, so that machines agree; a test turns it ahead.
create function activitynet.clock(ahead_ms float8) returns timestamptz
  language sql volatile return clock_timestamp() + ahead_ms * interval '1 ms';
create function activitynet.quarter_of(at timestamptz) returns timestamptz
  language sql immutable parallel safe return date_bin('15 minutes', at, timestamptz '1970-01-01 00:00:00+00');
create function activitynet.day_of(at timestamptz) returns timestamptz
  language sql immutable parallel safe return date_bin('1 day', at, timestamptz '1970-01-01 00:00:00+00');

-- An activity of one of our users: the newest events that told of it (seconds of the provider's clock), and the work
-- that follows from them. One row is one job, however many events ask for it.
create table activitynet.activity (
  user_id uuid not null,
  object_id bigint not null,
  connection_id uuid not null,
  create_time bigint,
  update_time bigint,
  -- Kept after the deletion, so that an older event does not bring the activity back.
  delete_time bigint,
  work text check (work in ('fetch', 'delete')),
  -- Lower goes first: -1 a deletion, which costs the provider nothing, 0 what happens now, 10 history.
  priority smallint not null default 0,
  -- Among equals the lowest goes first: the time of the event; of history what began last.
  turn bigint not null,
  -- Counts what asked for work: who finished an older one leaves the row open.
  version int not null default 1,
  -- Counted at each claim: only the holder of the newest may write an outcome.
  attempt int not null default 0,
  -- Claims since the last outcome: what kills its process each time is given up.
  crashes smallint not null default 0,
  failures smallint not null default 0,
  leased boolean not null default false,
  -- The end of the lease, or the time of the next attempt.
  run_at timestamptz not null default now(),
  fetched_at timestamptz,
  -- Which recording the stored samples are of.
  streams_for text,
  -- Why the last work on it failed, or ended without a record: a code.
  error text,
  history_id uuid,
  primary key (user_id, object_id)
);
create index activity_due on activitynet.activity (priority, turn, object_id) where work is not null;
create index activity_of_history on activitynet.activity (history_id) where history_id is not null;
create index activity_open_of_history on activitynet.activity (history_id)
  where history_id is not null and work is not null;
create index activity_given_up on activitynet.activity (object_id)
  where work is null and (failures > 0 or error = 'CRASHED');
create index activity_open_of_connection on activitynet.activity (connection_id) where work is not null;

-- The newest history run of a connection: it lists the activities page by page, and each becomes a job.
create table activitynet.history (
  id uuid primary key default gen_random_uuid(),
  connection_id uuid not null unique,
  user_id uuid not null,
  connected_at timestamptz(3) not null,
  start_time timestamptz(0) not null,
  end_time timestamptz(0) not null,
  state text not null default 'listing'
    check (state in ('listing', 'fetching', 'done', 'cancelled', 'stopped', 'failed')),
  reason text,
  pages int not null default 0,
  found int not null default 0,
  failures smallint not null default 0,
  attempt int not null default 0,
  run_at timestamptz not null default now(),
  created_at timestamptz(3) not null default now(),
  listed_at timestamptz(3),
  finished_at timestamptz(3)
);
create index history_due on activitynet.history (run_at) where state = 'listing';
create index history_user on activitynet.history (user_id);

-- What an application may still read of the provider, one row for all processes: the quarter hour and the day.
create table activitynet.budget (
  application text primary key,
  quarter timestamptz not null default '-infinity',
  quarter_used int not null default 0,
  -- What others of the same application have used of the window, as far as the provider's headers prove it.
  quarter_others int not null default 0,
  quarter_limit int,
  day timestamptz not null default '-infinity',
  day_used int not null default 0,
  day_others int not null default 0,
  day_limit int,
  -- Reads that are charged and not answered yet.
  open int not null default 0,
  -- Answers in a row that did not come or were failures, of all processes.
  failures int not null default 0,
  paused_until timestamptz,
  -- One read finds out whether the provider is back.
  probing boolean not null default false
);

-- Events that were skipped, counted by reason and day.
create table activitynet.skipped (
  date date not null,
  reason text not null,
  n bigint not null,
  primary key (date, reason)
);

-- What the owner of an account at the activity platform said of their privacy, and when.
alter table users.connection add column privacy jsonb, add column privacy_changed_at timestamptz(3);
