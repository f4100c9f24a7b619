create schema connect;

-- A person on the way to a provider's consent page and back. The state that travels with them is kept as a hash
-- only, and counts once; the verifier (PKCE) is ciphertext bound to the hash. Rows outlive their use by a day, so
-- that a second visit can be told what it is.
create table connect.attempt (
  state_hash text primary key,
  user_id uuid not null,
  provider text not null,
  -- Null: the person ends on a page of our own.
  redirect_uri text,
  -- As the provider was told: it compares the two.
  callback_uri text not null,
  verifier text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index attempt_expires on connect.attempt (expires_at);

-- Connections whose history is still to be asked for: the service that does so was away.
create table connect.history (
  user_id uuid not null,
  provider text not null,
  run_at timestamptz not null default now(),
  attempts int not null default 0,
  wanted_at timestamptz not null default now(),
  primary key (user_id, provider)
);

-- Tokens that left their connection and still have one thing to do: tell the provider that we have no more access.
-- Ciphertext bound to the connection; a row is gone when that is done, at the latest after a day.
create table users.farewell (
  id uuid primary key default gen_random_uuid(),
  connection_id uuid not null,
  provider text not null,
  provider_user_id text not null,
  access_token text not null,
  refresh_token text,
  expires_at timestamptz(3),
  attempts int not null default 0,
  run_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index farewell_due on users.farewell (run_at);

-- The data that came through a connection is wanted gone: not told yet, or told. Null when it is connected anew.
alter table users.connection add column purge text check (purge in ('wanted', 'told'));
create index connection_purge on users.connection (id) where purge = 'wanted';

-- Whose data of a provider was taken away: nothing is stored of it while the door is closed, so that a delivery in
-- flight brings nothing back. `version` names the request: a late repetition of it, after the user has connected
-- anew, does nothing. `series_ids` are those whose samples still lie there.
create table timeseries.purge (
  user_id uuid not null,
  provider text not null,
  version int not null,
  closed boolean not null,
  series_ids int[] not null,
  items_done boolean not null,
  purged_at timestamptz not null default now(),
  primary key (user_id, provider)
);
create index purge_unfinished on timeseries.purge (purged_at) where not items_done or cardinality(series_ids) > 0;

-- How the providers' APIs answered, by minute: for operators, kept for a day.
create table deliveries.answer_minute (
  provider text not null,
  minute timestamptz not null,
  requests int not null,
  failed int not null,
  rejected int not null,
  total_ms float8 not null,
  slowest_ms float8 not null,
  primary key (provider, minute)
);
