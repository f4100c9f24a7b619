-- Events whose sender is not authenticated: what they delete is hidden until a read confirms it, and what their reads may cost
-- is limited.
alter table activitynet.activity
  -- A deletion that no read has confirmed yet: the work is to hide the activity, then to fetch it.
  add column unconfirmed boolean not null default false,
  -- The work was asked for by an event whose sender is authenticated, or by ourselves.
  add column authenticated boolean not null default true,
  -- The read that confirms the deletion is charged to the owner already.
  add column prepaid boolean not null default false;
create index activity_unauthenticated on activitynet.activity (user_id) where work is not null and not authenticated;

-- Reads of a UTC day after events of one owner whose sender is not authenticated. `fruitless` brought nothing new.
create table activitynet.owner_reads (
  user_id uuid primary key,
  day timestamptz not null,
  used int not null,
  fruitless int not null
);

-- The fruitless ones of all owners, in the windows of the provider's limits.
create table activitynet.fruitless_reads (
  application text primary key,
  quarter timestamptz not null,
  quarter_used int not null,
  day timestamptz not null,
  day_used int not null
);
