-- Outgoing webhooks: endpoints of applications, the messages for them, and the attempts to deliver those.
create schema webhooks;

create table webhooks.endpoint (
  id uuid primary key default gen_random_uuid(),
  url text not null,
  description text,
  -- Null: all types.
  event_types text[],
  -- Messages of workouts, sleep and summaries contain the record.
  include_data boolean not null default false,
  max_per_second int,
  enabled boolean not null default true,
  disabled_reason text,
  -- Encrypted and bound to the endpoint.
  secret text not null,
  -- The secret before a rotation. It signs too until `former_until`.
  former_secret text,
  former_until timestamptz,
  -- Since when no message was delivered. Null after a success.
  failing_since timestamptz,
  last_delivered_at timestamptz,
  -- No message is sent before: the endpoint asked to wait, or has a limit per second.
  paused_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table webhooks.endpoint alter column url set statistics 0, alter column secret set statistics 0,
  alter column former_secret set statistics 0;

-- A message is a job: leased until `run_at`, fenced by `attempt`. Its content is made at each attempt.
create table webhooks.message (
  id uuid primary key default gen_random_uuid(),
  endpoint_id uuid not null references webhooks.endpoint on delete cascade,
  -- The change that it reports. Null: a test.
  change_id bigint,
  user_id uuid,
  type text not null,
  -- 0 live, 5 live and sent again, 10 historical.
  lane smallint not null default 0,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed', 'dropped')),
  leased boolean not null default false,
  attempt int not null default 0,
  failures int not null default 0,
  crashes int not null default 0,
  run_at timestamptz not null default now(),
  -- Of the change.
  recorded_at timestamptz not null,
  -- When the change was published.
  created_at timestamptz not null default now(),
  delivered_at timestamptz
);
create index message_due on webhooks.message (endpoint_id, lane, run_at) where state = 'waiting';
create index message_listed on webhooks.message (endpoint_id, created_at, id);
create index message_failed on webhooks.message (endpoint_id, created_at, id) where state in ('failed', 'dropped');
create index message_of_user on webhooks.message (user_id) where user_id is not null;
create index message_old on webhooks.message (created_at);

create table webhooks.attempt (
  message_id uuid not null references webhooks.message on delete cascade,
  number int not null,
  at timestamptz not null default now(),
  -- Null: no answer.
  status int,
  duration_ms int not null,
  -- A code.
  error text,
  -- The beginning of the answer.
  answer text,
  primary key (message_id, number)
);
create index attempt_old on webhooks.attempt (at);
alter table webhooks.attempt alter column answer set statistics 0;
