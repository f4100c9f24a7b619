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

insert into activitynet.history (id, connection_id, user_id, connected_at, start_time, end_time, state, reason, pages, found,
  failures, attempt, run_at, created_at, listed_at, finished_at)
select id, connection_id, user_id, coalesce(connected_at, created_at), start_time, end_time, state, reason, pages, found,
  failures, attempt, run_at, created_at, finished_at, finished_at
from activitynet.listing where purpose = 'backfill';

insert into activitynet.reconciliation (connection_id, user_id, state, start_time, end_time, connected_at, again_from,
  nightly_on, reason, pages, listed, failures, attempt, leased, run_at, finished_at)
select connection_id, user_id, case state when 'listing' then 'waiting' else state end, start_time, end_time, connected_at,
  again_from, nightly_on, reason, pages, listed, failures, attempt, leased, run_at, finished_at
from activitynet.listing where purpose = 'reconciliation';

create trigger changes after insert or update on activitynet.history for each row execute function changes.of_backfill();
drop table activitynet.listing;
