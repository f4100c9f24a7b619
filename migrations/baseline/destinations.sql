-- Copies of the data of a project in stores of its own.
create schema destinations;

-- API keys that were deleted: they create and change no destination any more.
create table destinations.deleted_key (
  id uuid primary key
);

-- `secrets`: the encrypted secrets of the settings. `position`: all changes up to this id of the change log are written. `snapshot`: how
-- far the copy of what was stored before has come, null when it is complete. `progress` is the kind's own. `version` changes
-- with each commit, so that a process that lost its lease commits nothing more.
create table destinations.destination (
  id uuid primary key,
  project_id text not null,
  kind text not null,
  description text,
  settings jsonb not null,
  secrets text not null,
  types text[],
  from_beginning boolean not null,
  paused boolean default false not null,
  paused_reason text,
  api_key_id uuid,
  version bigint default 0 not null,
  position bigint not null,
  snapshot jsonb,
  progress jsonb default '{}' not null,
  rows_written bigint default 0 not null,
  last_commit_at timestamptz(3),
  failing_since timestamptz(3),
  failures integer default 0 not null,
  last_error text,
  last_error_at timestamptz(3),
  created_at timestamptz(3) default now() not null,
  updated_at timestamptz(3) default now() not null
);
create index destination_project on destinations.destination (project_id, created_at, id);
create index destination_key on destinations.destination (api_key_id);

-- Deleted users whose rows may still be at a destination. A row goes with the proof that they are not.
create table destinations.erasure (
  destination_id uuid not null references destinations.destination on delete cascade,
  user_id uuid not null,
  requested_at timestamptz(3) default now() not null,
  primary key (destination_id, user_id)
);

-- Every object that may be in the store. A name is inserted before its object is written. `unused_since`: the number of the commit
-- that no longer names it, null while the current manifest does. It is deleted from the store once no kept manifest names it.
-- `upload_id`: it is written in parts, which the store keeps until the upload is completed or aborted.
create table destinations.object (
  destination_id uuid not null references destinations.destination on delete cascade,
  name text not null,
  unused_since bigint,
  upload_id text,
  primary key (destination_id, name)
);
create index object_unused on destinations.object (destination_id, unused_since) where unused_since is not null;

-- A file of a destination of the kind s3: the rows of one type and UTC day, or one hour of it. Hour -1 is the whole day. `dirty_at`: the
-- id of the first change that is not in the file, null when it has all. Without a file it has no rows.
create table destinations.partition (
  destination_id uuid not null references destinations.destination on delete cascade,
  type text not null,
  date date not null,
  hour smallint not null,
  dirty_at bigint,
  written_at timestamptz(3),
  file text,
  rows bigint default 0 not null,
  bytes bigint default 0 not null,
  primary key (destination_id, type, date, hour)
);
create index partition_dirty on destinations.partition (destination_id, type, date, hour) where dirty_at is not null;

-- The day under which a record was written: a change of its times moves it to another one.
create table destinations.record (
  destination_id uuid not null references destinations.destination on delete cascade,
  id uuid not null,
  user_id uuid not null,
  type text not null,
  date date not null,
  primary key (destination_id, id, type)
);
create index record_of_user on destinations.record (destination_id, user_id);
create index record_of_partition on destinations.record (destination_id, type, date);

-- The first and the last UTC day of what was written of a user and type.
create table destinations.user_span (
  destination_id uuid not null references destinations.destination on delete cascade,
  user_id uuid not null,
  type text not null,
  first_date date not null,
  last_date date not null,
  primary key (destination_id, user_id, type)
);
