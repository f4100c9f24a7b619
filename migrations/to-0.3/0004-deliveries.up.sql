-- The inbox: every request of a provider as it came, and what became of it. It is the queue of the ingest services
-- too: a row in state ready or working is due once run_at has passed.
create schema deliveries;

create table deliveries.delivery (
  id uuid primary key default gen_random_uuid(),
  provider text not null,
  kind text not null,
  -- ready: waits for its turn (or is leased to the call that stored it); working: leased until run_at; done; dead.
  state text not null default 'ready' check (state in ('ready', 'working', 'done', 'dead')),
  -- Lower goes first: 0 what happens now, 10 history.
  priority smallint not null default 0,
  -- Counted when the work begins, so that a delivery that kills its process ends as dead too; also the fence: only
  -- the holder of the newest attempt may write the outcome.
  attempts int not null default 0,
  max_attempts int not null default 16,
  -- The end of the lease, or the time of the next attempt.
  run_at timestamptz not null default now(),
  received_at timestamptz not null default now(),
  replayed_at timestamptz,
  done_at timestamptz,
  -- Why the last attempt failed: a code of the error table, never a value.
  error text,
  headers jsonb not null,
  -- json, not jsonb: the answer goes out with its keys in the order of the documentation.
  answer json,
  body bytea not null
);

-- Bodies are JSON text and shrink to about a fifth; lz4 costs less than the disk does. Not every build has it.
do $$ begin
  alter table deliveries.delivery alter column body set compression lz4;
exception when feature_not_supported then null;
end $$;

-- The claim: only what is open, so the index stays small however much is kept.
create index delivery_due on deliveries.delivery (provider, priority, run_at) where state in ('ready', 'working');
-- The lists of operators, newest first, and their counts.
create index delivery_listed on deliveries.delivery (state, received_at, id);
-- Retention.
create index delivery_closed on deliveries.delivery (done_at) where done_at is not null;
