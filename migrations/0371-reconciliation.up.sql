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

alter table activitynet.activity add column unlisted_version integer;
