create schema backfill;

-- One backfill a connection: the newest; a new one takes the place of one that ended. The row is its queue entry
-- too, so that a connection never has more than one request in flight: whoever claims it asks one step.
create table backfill.run (
  id uuid primary key default gen_random_uuid(),
  connection_id uuid not null unique,
  user_id uuid not null,
  provider text not null,
  -- Of which link: an account that was connected anew meanwhile is another one.
  connected_at timestamptz(3) not null,
  start_time timestamptz(0) not null,
  end_time timestamptz(0) not null,
  state text not null default 'running' check (state in ('running', 'done', 'cancelled', 'stopped', 'failed')),
  reason text,
  -- Counted at each claim: only the holder of the newest one may write an outcome.
  attempt int not null default 0,
  -- Held by a worker until run_at; otherwise run_at is when there is something to do next.
  asking boolean not null default false,
  run_at timestamptz not null default now(),
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
create index run_due on backfill.run (provider, run_at) where state = 'running';
create index run_user on backfill.run (user_id);

-- One request: a type and a span of at most 30 days, in the order of position.
create table backfill.step (
  run_id uuid not null references backfill.run on delete cascade,
  position int not null,
  type text not null,
  start_time timestamptz(0) not null,
  end_time timestamptz(0) not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'requested', 'received', 'skipped', 'failed')),
  reason text,
  attempts int not null default 0,
  requested_at timestamptz(3),
  -- Until when data is waited for; null while the request is under way, or was when its process died.
  deadline timestamptz(3),
  received_at timestamptz(3),
  items int not null default 0,
  saved int not null default 0,
  primary key (run_id, position)
);

-- Which delivery brought data for which step, and what its sender was told: told again, it counts nothing.
create table backfill.receipt (
  run_id uuid not null,
  delivery_id uuid not null,
  type text not null,
  position int not null,
  items int not null,
  saved int not null,
  completed boolean not null,
  chained boolean not null,
  primary key (run_id, delivery_id, type),
  foreign key (run_id, position) references backfill.step on delete cascade
);

-- Tokens of a connection change under a version, and one holder of a lease at a time has them refreshed.
alter table users.connection
  add column token_version int not null default 0,
  add column refresh_leased_until timestamptz,
  add column status_reason text;
