create schema phone;

-- A code that a user types into the app on the phone. It is stored as a hash, and rows are deleted a day after they expired.
create table phone.invitation_code (
  hash text primary key,
  user_id uuid not null,
  developer_id uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  redeemed_at timestamptz
);
create index invitation_code_user on phone.invitation_code (user_id);
create index invitation_code_expires on phone.invitation_code (expires_at);

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
  zone_offset_minutes int,
  score int,
  -- Null: the nights around the phase are computed.
  settled_at timestamptz,
  primary key (user_id, id)
);
create index phase_time on phone.phase (user_id, start_time);
create index phase_unsettled on phone.phase (user_id) where settled_at is null;

-- A night that is stored as a sleep session under its id, with what decides whether a change makes it shorter.
create table phone.night (
  user_id uuid not null,
  id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  asleep_seconds int not null,
  is_nap boolean not null,
  hash text not null,
  primary key (user_id, id)
);
create index night_time on phone.night (user_id, start_time);

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

-- Items that the user deleted on the phone. They are not stored again.
create table phone.deleted (
  user_id uuid not null,
  id text not null,
  deleted_at timestamptz not null default now(),
  primary key (user_id, id)
);

-- Items of types that the catalogue does not have.
create table phone.unmapped (
  user_id uuid not null,
  type text not null,
  items bigint not null,
  primary key (user_id, type)
);

-- Deliveries whose items are counted.
create table phone.receipt (
  delivery_id uuid primary key,
  user_id uuid not null,
  created_at timestamptz not null default now()
);
create index receipt_created on phone.receipt (created_at);
create index receipt_user on phone.receipt (user_id);

-- The first upload of all past data, as the app reports it.
create table phone.first_sync (
  user_id uuid primary key,
  id uuid not null,
  connection_id uuid not null,
  state text not null check (state in ('running', 'done', 'stopped')),
  start_time timestamptz not null,
  end_time timestamptz not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create table phone.sync_type (
  user_id uuid not null,
  type text not null,
  expected bigint,
  sent bigint,
  failed boolean not null default false,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (user_id, type)
);

create trigger changes after insert or update on phone.first_sync
  for each row execute function changes.of_backfill();

create function changes.of_sync_type() returns trigger language plpgsql as $$
begin
  if new.ended_at is null or (tg_op = 'UPDATE' and old.ended_at is not null) then return null; end if;
  perform changes.record(s.user_id, 'backfill', 'type_completed', s.id || ':' || new.type, null,
    jsonb_build_object('backfill_id', s.id, 'connection_id', s.connection_id, 'provider', 'phone', 'data_type', new.type))
  from phone.first_sync s where s.user_id = new.user_id and s.state = 'running';
  return null;
end $$;
create trigger changes after insert or update on phone.sync_type
  for each row execute function changes.of_sync_type();
