create schema connect;

-- A person on the way to a provider's consent page and back. The state that travels with them is kept as a hash
-- only, and counts once; the verifier (PKCE) is ciphertext bound to the hash. Rows outlive their use by a day, so
-- that a second visit can be told what it is.
create table connect.attempt (
  state_hash text not null,
  user_id uuid not null,
  provider text not null,
  redirect_uri text,
  callback_uri text not null,
  verifier text,
  created_at timestamptz default now() not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  session_id uuid,
  constraint attempt_pkey primary key (state_hash)
);
alter table connect.attempt
  alter column redirect_uri set statistics 0,
  alter column callback_uri set statistics 0,
  alter column verifier set statistics 0;
create index attempt_expires on connect.attempt (expires_at);

-- Connections whose history is still to be asked for: the service that does so was away.
create table connect.history (
  user_id uuid not null,
  provider text not null,
  run_at timestamptz default now() not null,
  attempts integer default 0 not null,
  wanted_at timestamptz default now() not null,
  constraint history_pkey primary key (user_id, provider)
);

-- A visit of one user to the connect page. The token of its address is stored as a hash. `browser_hash` is set by the first
-- browser that opens the page. Rows are deleted a day after they expired.
create table connect.session (
  id uuid not null,
  token_hash text not null,
  user_id uuid not null,
  providers text[] not null,
  redirect_uri text,
  language text,
  browser_hash text,
  connected text[] default '{}'::text[] not null,
  last_provider text,
  last_status text,
  last_reason text,
  created_at timestamptz default now() not null,
  expires_at timestamptz not null,
  constraint session_pkey primary key (id),
  constraint session_token_hash_key unique (token_hash)
);
create index session_expires on connect.session (expires_at);

create trigger enqueue before insert on connect.history
  for each row
  execute function jobs.enqueue_instead('connect.backfill', '{user_id,provider}', '{user_id,provider}');
