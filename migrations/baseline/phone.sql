create schema phone;

-- Items that the user deleted on the phone. They are not stored again.
create table phone.deleted (
  user_id uuid not null,
  id text not null,
  deleted_at timestamptz default now() not null,
  primary key (user_id, id)
);

-- Work on a user's data reads the id before it asks whether the user's phone is connected, and locks the row in each
-- transaction that writes. Erasing the data deletes the row, so that work in progress writes nothing afterwards.
create table phone.fence (
  user_id uuid primary key,
  id uuid default gen_random_uuid() not null
);

-- The first upload of all past data, as the app reports it.
create table phone.first_sync (
  user_id uuid primary key,
  id uuid not null,
  connection_id uuid not null,
  state text not null check (state in ('running', 'done', 'stopped')),
  start_time timestamptz not null,
  end_time timestamptz not null,
  created_at timestamptz default now() not null,
  finished_at timestamptz
);

-- A code that a user types into the app on the phone. It is stored as a hash, and rows are deleted a day after they expired.
create table phone.invitation_code (
  hash text primary key,
  user_id uuid not null,
  developer_id uuid,
  created_at timestamptz default now() not null,
  expires_at timestamptz not null,
  redeemed_at timestamptz,
  id uuid default gen_random_uuid() not null
);
create index invitation_code_expires on phone.invitation_code (expires_at);
create index invitation_code_user on phone.invitation_code (user_id);

-- A night that is stored as a sleep session under its id, with what decides whether a change makes it shorter.
create table phone.night (
  user_id uuid not null,
  id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  asleep_seconds integer not null,
  is_nap boolean not null,
  hash text not null,
  primary key (user_id, id)
);
create index night_time on phone.night (user_id, start_time);

-- One phase of a night. `source` identifies what measured it.
create table phone.phase (
  user_id uuid not null,
  id text not null,
  source text not null,
  device text not null,
  device_type text not null,
  stage text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  zone_offset_minutes integer,
  score integer,
  settled_at timestamptz,
  primary key (user_id, id)
);
create index phase_time on phone.phase (user_id, start_time);
create index phase_unsettled on phone.phase (user_id) where settled_at is null;

-- Deliveries whose items are counted.
create table phone.receipt (
  delivery_id uuid primary key,
  user_id uuid not null,
  created_at timestamptz default now() not null
);
create index receipt_created on phone.receipt (created_at);
create index receipt_user on phone.receipt (user_id);

-- The span of a deleted phase whose night is computed again.
create table phone.reopened (
  user_id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz not null
);
create index reopened_user on phone.reopened (user_id);

-- The ids and instants of samples, so that a sample can be deleted by its id: 8 bytes of a hash and 8 of a time each.
create table phone.sample_block (
  user_id uuid not null,
  key text not null,
  series text not null,
  device text not null,
  ids bytea not null,
  times bytea not null,
  primary key (user_id, key)
);
create index sample_block_series on phone.sample_block (user_id, series);

-- A type of the first upload of a phone: the items that it announced, and those that came.
create table phone.sync_type (
  user_id uuid not null,
  type text not null,
  expected bigint,
  sent bigint,
  failed boolean default false not null,
  started_at timestamptz default now() not null,
  ended_at timestamptz,
  shares integer default 1 not null,
  ends jsonb default '{}' not null,
  primary key (user_id, type)
);

-- Items of types that the catalogue does not have.
create table phone.unmapped (
  user_id uuid not null,
  type text not null,
  items bigint not null,
  primary key (user_id, type)
);

create trigger changes after insert or update on phone.first_sync for each row execute function changes.of_backfill();
create trigger changes after insert or update on phone.sync_type for each row execute function changes.of_sync_type();
