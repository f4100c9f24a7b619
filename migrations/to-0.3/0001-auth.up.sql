create schema auth;

create table auth.developer (
  id uuid primary key default gen_random_uuid(),
  email text not null,
  password text not null,
  created_at timestamptz(3) not null default now()
);
create unique index developer_email on auth.developer (lower(email));

-- Keys outlive the developer who made them: created_by is a note, not a reference.
create table auth.api_key (
  id uuid primary key default gen_random_uuid(),
  hash text not null unique,
  name text not null,
  created_by uuid not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3)
);

create table auth.application (
  id uuid primary key default gen_random_uuid(),
  app_id text not null unique,
  secret_hash text not null,
  name text not null,
  created_at timestamptz(3) not null default now()
);

-- All tokens that grew from one log-in or one issued token. It ends by being deleted, and its tokens with it;
-- so does one whose developer or application is deleted.
create table auth.family (
  id uuid primary key,
  user_id uuid,
  developer_id uuid references auth.developer on delete cascade,
  application_id uuid references auth.application on delete cascade,
  issued_by text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  check (user_id is not null or developer_id is not null)
);
create index family_user on auth.family (user_id) where user_id is not null;
create index family_developer on auth.family (developer_id) where developer_id is not null;
create index family_application on auth.family (application_id) where application_id is not null;
create index family_expires on auth.family (expires_at);

-- A consumed token stays until it would have expired: one that comes back ends its family.
create table auth.refresh_token (
  hash text primary key,
  family_id uuid not null references auth.family on delete cascade,
  created_at timestamptz(3) not null default now(),
  consumed_at timestamptz
);
create index refresh_token_family on auth.refresh_token (family_id);
create index refresh_token_created on auth.refresh_token (created_at);

-- The requests of the running minute of a key, a user or a developer. Unlogged: after a crash of the database
-- everyone starts a new minute. Half-empty pages keep the updates of a counter within its page.
create unlogged table auth.rate_window (
  subject uuid primary key,
  started_at timestamptz not null,
  count int not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
