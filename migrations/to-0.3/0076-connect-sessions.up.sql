-- A visit of one user to the connect page. The token of its address is stored as a hash. `browser_hash` is set by the first
-- browser that opens the page. Rows are deleted a day after they expired.
create table connect.session (
  id uuid primary key,
  token_hash text not null unique,
  user_id uuid not null,
  providers text[] not null,
  redirect_uri text,
  language text,
  browser_hash text,
  -- The providers that were connected in this session, and the outcome of the last attempt.
  connected text[] not null default '{}',
  last_provider text,
  last_status text,
  last_reason text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index session_expires on connect.session (expires_at);

-- Null: the attempt was not started on the connect page.
alter table connect.attempt add column session_id uuid;
