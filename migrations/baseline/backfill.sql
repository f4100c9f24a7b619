create schema backfill;

-- One backfill a connection: the newest; a new one takes the place of one that ended. The row is its queue entry
-- too, so that a connection never has more than one request in flight: whoever claims it asks one step.
create table backfill.run (
  id uuid default gen_random_uuid() primary key,
  connection_id uuid not null unique,
  user_id uuid not null,
  provider text not null,
  connected_at timestamptz(3) not null,
  start_time timestamp(0) with time zone not null,
  end_time timestamp(0) with time zone not null,
  state text default 'running' not null check (state in ('running', 'done', 'cancelled', 'stopped', 'failed')),
  reason text,
  attempt integer default 0 not null,
  asking boolean default false not null,
  run_at timestamptz default now() not null,
  created_at timestamptz(3) default now() not null,
  finished_at timestamptz(3),
  -- Requests of a lower lane are sent first.
  lane smallint default 0 not null
);
create index run_due on backfill.run (provider, run_at) where state = 'running';
create index run_user on backfill.run (user_id);

-- One request: a type and a span of at most 30 days, in the order of position.
create table backfill.step (
  run_id uuid not null references backfill.run on delete cascade,
  "position" integer not null,
  type text not null,
  start_time timestamp(0) with time zone not null,
  end_time timestamp(0) with time zone not null,
  state text default 'waiting' not null check (state in ('waiting', 'requested', 'received', 'skipped', 'failed')),
  reason text,
  attempts integer default 0 not null,
  requested_at timestamptz(3),
  deadline timestamptz(3),
  received_at timestamptz(3),
  items integer default 0 not null,
  saved integer default 0 not null,
  primary key (run_id, "position")
);

-- Which delivery brought data for which step, and what its sender was told: told again, it counts nothing.
create table backfill.receipt (
  run_id uuid not null,
  delivery_id uuid not null,
  type text not null,
  "position" integer not null,
  items integer not null,
  saved integer not null,
  completed boolean not null,
  chained boolean not null,
  primary key (run_id, delivery_id, type),
  foreign key (run_id, "position") references backfill.step on delete cascade
);

create trigger changes after insert or update on backfill.run for each row execute function changes.of_backfill();
create trigger changes after update of state on backfill.step for each row execute function changes.of_backfill_type();
