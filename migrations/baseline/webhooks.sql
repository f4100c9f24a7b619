create schema webhooks;

-- A message is a job: leased until `run_at`, fenced by `attempt`. Its content is made at each attempt.
create table webhooks.message (
  id uuid default gen_random_uuid() primary key,
  endpoint_id uuid not null,
  change_id bigint,
  user_id uuid,
  type text not null,
  lane smallint default 0 not null,
  state text default 'waiting' not null check (state in ('waiting', 'delivered', 'failed', 'dropped')),
  leased boolean default false not null,
  attempt integer default 0 not null,
  failures integer default 0 not null,
  crashes integer default 0 not null,
  run_at timestamptz default now() not null,
  recorded_at timestamptz not null,
  created_at timestamptz default now() not null,
  delivered_at timestamptz
);
create index message_due on webhooks.message (endpoint_id, lane, run_at) where state = 'waiting';
create index message_failed on webhooks.message (endpoint_id, created_at, id) where state in ('failed', 'dropped');
create index message_listed on webhooks.message (endpoint_id, created_at, id);
create index message_of_user on webhooks.message (user_id) where user_id is not null;
create index message_old on webhooks.message (created_at);
-- The oldest message that waits, per endpoint.
create index message_waiting on webhooks.message (endpoint_id, recorded_at) where state = 'waiting';

-- An attempt to send a message, with the start of the answer.
create table webhooks.attempt (
  message_id uuid not null references webhooks.message on delete cascade,
  number integer not null,
  at timestamptz default now() not null,
  status integer,
  duration_ms integer not null,
  error text,
  answer text,
  primary key (message_id, number)
);
alter table webhooks.attempt alter column answer set statistics 0;
create index attempt_old on webhooks.attempt (at);

-- Deleted keys. A request that was admitted before the deletion of its key creates and changes no endpoint after it.
create table webhooks.deleted_key (
  id uuid primary key,
  deleted_at timestamptz default now() not null
);

-- An address of an application that receives changes. Its secrets are encrypted.
create table webhooks.endpoint (
  id uuid default gen_random_uuid() primary key,
  url text not null,
  description text,
  event_types text[],
  include_data boolean default false not null,
  max_per_second integer,
  enabled boolean default true not null,
  disabled_reason text,
  secret text not null,
  former_secret text,
  former_until timestamptz,
  failing_since timestamptz,
  last_delivered_at timestamptz,
  paused_until timestamptz,
  created_at timestamptz default now() not null,
  updated_at timestamptz default now() not null,
  api_key_id uuid,
  project_id text default 'default' not null
);
alter table webhooks.endpoint alter column url set statistics 0, alter column secret set statistics 0, alter column former_secret set statistics 0;
create index endpoint_project on webhooks.endpoint (project_id);
