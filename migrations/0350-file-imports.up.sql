create schema imports;

create table imports.import (
  id uuid primary key,
  user_id uuid not null,
  connection_id uuid,
  state text default 'receiving' not null check (state in ('receiving', 'waiting', 'reading', 'done', 'failed', 'cancelled')),
  name text,
  kind text,
  bytes bigint default 0 not null,
  bytes_read bigint default 0 not null,
  position bigint default 0 not null,
  counts jsonb default '{}' not null,
  skipped jsonb default '[]' not null,
  first_time timestamptz(3),
  last_time timestamptz(3),
  error text,
  created_at timestamptz(3) default now() not null,
  touched_at timestamptz(3) default now() not null,
  finished_at timestamptz(3)
);
create index import_user on imports.import (user_id, created_at desc);
create index import_open on imports.import (touched_at) where state in ('receiving', 'waiting', 'reading');
