create schema destinations;

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

create table destinations.deleted_key (
  id uuid primary key
);

create table destinations.erasure (
  destination_id uuid not null references destinations.destination(id) on delete cascade,
  user_id uuid not null,
  requested_at timestamptz(3) default now() not null,
  constraint erasure_pkey primary key (destination_id, user_id)
);

create table destinations.user_span (
  destination_id uuid not null references destinations.destination(id) on delete cascade,
  user_id uuid not null,
  type text not null,
  first_date date not null,
  last_date date not null,
  constraint user_span_pkey primary key (destination_id, user_id, type)
);

create table destinations.record (
  destination_id uuid not null references destinations.destination(id) on delete cascade,
  id uuid not null,
  user_id uuid not null,
  type text not null,
  date date not null,
  constraint record_pkey primary key (destination_id, id, type)
);
create index record_of_user on destinations.record (destination_id, user_id);
create index record_of_partition on destinations.record (destination_id, type, date);

create table destinations.partition (
  destination_id uuid not null references destinations.destination(id) on delete cascade,
  type text not null,
  date date not null,
  hour smallint not null,
  dirty_at bigint,
  written_at timestamptz(3),
  file text,
  rows bigint default 0 not null,
  bytes bigint default 0 not null,
  constraint partition_pkey primary key (destination_id, type, date, hour)
);
create index partition_dirty on destinations.partition (destination_id, type, date, hour) where dirty_at is not null;

create table destinations.object (
  destination_id uuid not null references destinations.destination(id) on delete cascade,
  name text not null,
  unused_since bigint,
  upload_id text,
  constraint object_pkey primary key (destination_id, name)
);
create index object_unused on destinations.object (destination_id, unused_since) where unused_since is not null;
