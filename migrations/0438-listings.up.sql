-- Backfills and reconciliations are lists of one table.
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

insert into activitynet.listing (id, purpose, connection_id, user_id, state, reason, start_time, end_time, connected_at, pages,
  found, failures, attempt, run_at, created_at, finished_at)
select id, 'backfill', connection_id, user_id, state, reason, start_time, end_time, connected_at, pages,
  found, failures, attempt, run_at, created_at, finished_at
from activitynet.history;

insert into activitynet.listing (purpose, connection_id, user_id, state, reason, start_time, end_time, connected_at, pages,
  found, listed, again_from, nightly_on, failures, attempt, leased, run_at, finished_at)
select 'reconciliation', connection_id, user_id, case state when 'waiting' then 'listing' else state end, reason, start_time,
  end_time, connected_at, pages, cardinality(listed), listed, again_from, nightly_on, failures, attempt, leased, run_at,
  finished_at
from activitynet.reconciliation;

create trigger changes after insert or update on activitynet.listing for each row when (new.purpose = 'backfill')
  execute function changes.of_backfill();
drop table activitynet.history, activitynet.reconciliation;
