create schema deliveries;

-- How the providers' APIs answered, by minute: for operators, kept for a day.
create table deliveries.answer_minute (
  provider text not null,
  minute timestamptz not null,
  requests integer not null,
  failed integer not null,
  rejected integer not null,
  total_ms float8 not null,
  slowest_ms float8 not null,
  primary key (provider, minute)
);

-- A webhook or an upload as it came, its state, and its answer.
create table deliveries.delivery (
  id uuid default gen_random_uuid() primary key,
  provider text not null,
  kind text not null,
  state text default 'ready' not null check (state in ('ready', 'working', 'done', 'dead')),
  priority smallint default 0 not null,
  attempts integer default 0 not null,
  max_attempts integer default 16 not null,
  run_at timestamptz default now() not null,
  received_at timestamptz default now() not null,
  replayed_at timestamptz,
  done_at timestamptz,
  error text,
  headers jsonb not null,
  answer json,
  body bytea not null,
  erased_at timestamptz,
  sender text,
  sealed_bytes integer,
  crashes smallint default 0 not null
);
alter table deliveries.delivery alter column headers set statistics 0, alter column answer set statistics 0, alter column body set statistics 0;
create index delivery_closed on deliveries.delivery (done_at) where done_at is not null;
create index delivery_due on deliveries.delivery (provider, kind, priority, run_at) where state in ('ready', 'working');
create index delivery_listed on deliveries.delivery (state, received_at, id);
create index delivery_of_provider on deliveries.delivery (provider, state, received_at, id);
create index delivery_sender on deliveries.delivery (sender) where sender is not null;

-- Accounts of users who were erased: a job empties the deliveries that came until then and mention them. The row is
-- deleted when that is done.
create table deliveries.erasure (
  provider text not null,
  provider_user_id text not null,
  received_until timestamptz not null,
  place uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  passed boolean default false not null,
  waiting uuid[] default '{}'::uuid[] not null,
  run_at timestamptz not null,
  primary key (provider, provider_user_id, received_until)
);
alter table deliveries.erasure alter column provider_user_id set statistics 0;

-- The normaliser version that the kept deliveries of a provider were processed with. A newer one starts a run of them.
create table deliveries.normaliser (
  provider text primary key,
  version integer not null
);

-- What the attempts at one delivery have reached: bodies that had to be fetched, which are kept as long as their
-- delivery is, and what came of them. A row an entry, so that a long delivery is not rewritten for each.
create table deliveries.progress (
  delivery_id uuid not null references deliveries.delivery on delete cascade,
  entry text not null,
  body bytea,
  result json,
  result_at timestamptz,
  primary key (delivery_id, entry)
);
alter table deliveries.progress alter column body set statistics 0, alter column result set statistics 0;

-- What was received, by minute, provider and process, kept for two days. Each process writes its own rows, with the counts of
-- the whole minute, so that a write can be repeated and processes do not wait for each other.
create table deliveries.received_minute (
  minute timestamptz not null,
  provider text not null,
  process uuid not null,
  deliveries integer not null,
  records integer not null,
  samples integer not null,
  primary key (minute, provider, process)
);

-- Runs of kept deliveries through the current normalisers, oldest delivery first. A run continues after the delivery
-- (place_at, place_id).
create table deliveries.reprocess_run (
  id uuid default gen_random_uuid() primary key,
  provider text not null,
  from_time timestamptz,
  normaliser_version smallint not null,
  state text default 'running' not null check (state in ('running', 'done', 'cancelled')),
  place_at timestamptz,
  place_id uuid,
  deliveries_total integer not null,
  deliveries_done integer default 0 not null,
  deliveries_failed integer default 0 not null,
  created_at timestamptz default now() not null,
  finished_at timestamptz
);
create unique index reprocess_run_running on deliveries.reprocess_run (provider, coalesce(from_time, '-infinity')) where state = 'running';

-- Encrypted bodies of deliveries that are kept longer than DELIVERY_RETENTION_DAYS, compressed before. `entry` is empty for
-- the body of the delivery, otherwise the entry of its progress. `key_id` names the secret. `done_at` is that of the delivery,
-- in the row of its own body: older deliveries are encrypted already, so that the search for others begins there.
create table deliveries.sealed_body (
  delivery_id uuid not null references deliveries.delivery on delete cascade,
  entry text not null,
  key_id text not null,
  sealed bytea not null,
  body_bytes integer not null,
  done_at timestamptz,
  primary key (delivery_id, entry)
);
alter table deliveries.sealed_body alter column sealed set storage external;
create index sealed_body_done on deliveries.sealed_body (done_at);
create index sealed_body_key on deliveries.sealed_body (key_id);

insert into deliveries.normaliser (provider, version) values ('devicemaker', 4), ('phone', 4);

create trigger enqueue_erasure after insert on deliveries.erasure for each row
  execute function jobs.enqueue_written('deliveries.erasure', '{}', '{}');
