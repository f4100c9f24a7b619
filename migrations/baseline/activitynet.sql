create schema activitynet;

create function activitynet.clock(ahead_ms float8) returns timestamptz language sql
    return (clock_timestamp() + (ahead_ms * '00:00:00.001'::interval));

create function activitynet.day_of(at timestamptz) returns timestamptz language sql immutable parallel safe
    return date_bin('1 day'::interval, at, '1970-01-01 00:00:00+00'::timestamptz);

create function activitynet.quarter_of(at timestamptz) returns timestamptz language sql immutable parallel safe
    return date_bin('00:15:00'::interval, at, '1970-01-01 00:00:00+00'::timestamptz);

-- An activity of one of our users: the newest events that told of it (seconds of the provider's clock), and the work
-- that follows from them. One row is one job, however many events ask for it.
CREATE TABLE activitynet.activity (
  user_id uuid NOT NULL,
  object_id bigint NOT NULL,
  connection_id uuid NOT NULL,
  create_time bigint,
  update_time bigint,
  delete_time bigint,
  work text,
  priority smallint DEFAULT 0 NOT NULL,
  turn bigint NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
  crashes smallint DEFAULT 0 NOT NULL,
  failures smallint DEFAULT 0 NOT NULL,
  leased boolean DEFAULT false NOT NULL,
  run_at timestamptz DEFAULT now() NOT NULL,
  fetched_at timestamptz,
  streams_for text,
  error text,
  history_id uuid,
  unconfirmed boolean DEFAULT false NOT NULL,
  authenticated boolean DEFAULT true NOT NULL,
  prepaid boolean DEFAULT false NOT NULL,
  CONSTRAINT activity_work_check CHECK ((work = ANY (ARRAY['fetch', 'delete']))),
  CONSTRAINT activity_pkey PRIMARY KEY (user_id, object_id)
);
alter table activitynet.activity
  alter column object_id set statistics 0,
  alter column streams_for set statistics 0;
CREATE INDEX activity_due ON activitynet.activity (priority, turn, object_id) WHERE (work IS NOT NULL);
CREATE INDEX activity_given_up ON activitynet.activity (object_id) WHERE ((work IS NULL) AND ((failures > 0) OR (error = 'CRASHED')));
create index activity_of_history on activitynet.activity (history_id) where history_id is not null;
create index activity_open_of_connection on activitynet.activity (connection_id) where work is not null;
create index activity_open_of_history on activitynet.activity (history_id) where (history_id is not null) and (work is not null);
create index activity_unauthenticated on activitynet.activity (user_id) where (work is not null) and (not authenticated);

-- What an application may still read of the provider, one row for all processes: the quarter hour and the day.
create table activitynet.budget (
  application text not null,
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
  probing boolean default false not null,
  constraint budget_pkey primary key (application)
);

-- The fruitless ones of all owners, in the windows of the provider's limits.
create table activitynet.fruitless_reads (
  application text not null,
  quarter timestamptz not null,
  quarter_used integer not null,
  day timestamptz not null,
  day_used integer not null,
  constraint fruitless_reads_pkey primary key (application)
);

-- The newest history run of a connection: it lists the activities page by page, and each becomes a job.
create table activitynet.history (
  id uuid default gen_random_uuid() not null,
  connection_id uuid not null,
  user_id uuid not null,
  connected_at timestamptz(3) not null,
  start_time timestamp(0) with time zone not null,
  end_time timestamp(0) with time zone not null,
  state text default 'listing' not null,
  reason text,
  pages integer default 0 not null,
  found integer default 0 not null,
  failures smallint default 0 not null,
  attempt integer default 0 not null,
  run_at timestamptz default now() not null,
  created_at timestamptz(3) default now() not null,
  listed_at timestamptz(3),
  finished_at timestamptz(3),
  constraint history_state_check check (state in ('listing', 'fetching', 'done', 'cancelled', 'stopped', 'failed')),
  constraint history_connection_id_key unique (connection_id),
  constraint history_pkey primary key (id)
);
create index history_due on activitynet.history (run_at) where state = 'listing';
create index history_user on activitynet.history (user_id);

-- Reads of a UTC day after events of one owner whose sender is not authenticated. `fruitless` brought nothing new.
create table activitynet.owner_reads (
  user_id uuid not null,
  day timestamptz not null,
  used integer not null,
  fruitless integer not null,
  constraint owner_reads_pkey primary key (user_id)
);

-- Events that were skipped, counted by reason and day.
create table activitynet.skipped (
  date date not null,
  reason text not null,
  n bigint not null,
  constraint skipped_pkey primary key (date, reason)
);

create trigger changes after insert or update on activitynet.history for each row execute function changes.of_backfill();
