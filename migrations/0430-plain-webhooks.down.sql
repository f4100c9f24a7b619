alter table deliveries.delivery add column authenticated boolean default false not null;
alter table pull.connection add column unauthenticated_at timestamptz;
alter table timeseries.item add column unauthenticated boolean default false not null;
create index item_unauthenticated on timeseries.item (user_id, provider, data_type, key) where unauthenticated;
alter table timeseries.activity_block add column hidden boolean default false not null;
drop trigger wipe_details on timeseries.workout;
alter table timeseries.workout add column hidden boolean default false not null;
create trigger wipe_details after update on timeseries.workout
  for each row when (new.deleted_at is not null and not new.hidden) execute function timeseries.wipe_details();

alter table activitynet.activity
  add column unconfirmed boolean default false not null,
  add column authenticated boolean default true not null,
  add column prepaid boolean default false not null;
create index activity_unauthenticated on activitynet.activity (user_id) where work is not null and not authenticated;
create table activitynet.fruitless_reads (
  application text primary key,
  quarter timestamptz not null,
  quarter_used integer not null,
  day timestamptz not null,
  day_used integer not null
);
create table activitynet.owner_reads (
  user_id uuid primary key,
  day timestamptz not null,
  used integer not null,
  fruitless integer not null
);

create table users.access_check (
  connection_id uuid not null references users.connection on delete cascade primary key,
  provider text not null,
  ending text check (ending in ('applied', 'wanted', 'restoring')),
  ending_since timestamptz(3),
  permissions_since timestamptz(3),
  attempt integer default 0 not null,
  failures integer default 0 not null,
  run_at timestamptz default now() not null,
  window_start timestamptz default '-infinity' not null,
  window_reads integer default 0 not null,
  read_at timestamptz(3),
  confirmed_at timestamptz(3)
);
create index access_check_applied on users.access_check (provider) where ending = 'applied';
create index access_check_due on users.access_check (provider, run_at)
  where ending is not null or permissions_since is not null;
create trigger enqueue_restoration after update of ending on users.access_check
  for each row when (new.ending = 'restoring' and old.ending is distinct from 'restoring')
  execute function jobs.enqueue_written('users.restoration', '{connection_id}', '{}');
create table users.access_quota (
  provider text primary key,
  window_start timestamptz default '-infinity' not null,
  reads integer default 0 not null
);
create table users.held_delivery (
  connection_id uuid not null references users.connection on delete cascade,
  delivery_id uuid not null,
  constraint held_delivery_pkey primary key (connection_id, delivery_id)
);
