create schema connect;

-- Withdraws the consents of a user to a provider, in the transaction that ends the connection.
create function connect.withdraw_consents(whose uuid, from_provider text) returns void language plpgsql security definer set search_path to '' as $$
begin
  update connect.consent set withdrawn_at = now()
  where user_id = whose and provider = from_provider and withdrawn_at is null;
end $$;

-- A person on the way to a provider's consent page and back. The state that travels with them is kept as a hash
-- only, and counts once; the verifier (PKCE) is ciphertext bound to the hash. Rows outlive their use by a day, so
-- that a second visit can be told what it is.
create table connect.attempt (
  state_hash text primary key,
  user_id uuid not null,
  provider text not null,
  redirect_uri text,
  callback_uri text not null,
  verifier text,
  created_at timestamptz default now() not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  session_id uuid,
  -- The client of an attempt to connect.
  provider_client_id uuid
);
alter table connect.attempt
  alter column redirect_uri set statistics 0, alter column callback_uri set statistics 0, alter column verifier set statistics 0;
create index attempt_expires on connect.attempt (expires_at);

-- What a user agreed to. `page`: on the connect page, with the version and the language of the text that was shown; `provider`: on
-- the page of the provider only, which an application has opened.
create table connect.consent (
  id bigint generated always as identity primary key,
  user_id uuid not null,
  provider text not null,
  kind text not null check (kind in ('page', 'provider')),
  text_version integer,
  language text,
  scopes text[] not null,
  session_id uuid,
  agreed_at timestamptz(3) default now() not null,
  withdrawn_at timestamptz(3)
);
create index consent_user on connect.consent (user_id, id);

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
  connected text[] default '{}'::text[] not null,
  last_provider text,
  last_status text,
  last_reason text,
  created_at timestamptz default now() not null,
  expires_at timestamptz not null,
  -- Name, colour and logo as they were when the link was made.
  app_name text,
  app_colour text,
  app_logo text,
  -- Why a link to the connect page was made, which the page says. Null: the page says nothing.
  reason text check (reason in ('access_ended', 'no_data'))
);
create index session_expires on connect.session (expires_at);

