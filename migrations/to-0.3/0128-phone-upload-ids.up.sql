-- The ids of intervals and phases in kept uploads: 8 bytes of a hash each. Rows are made while kept uploads are processed
-- again, because a record of a newer upload must not be replaced by an older one, and deleted a day later.
create table phone.upload_ids (
  delivery_id uuid primary key,
  user_id uuid not null,
  ids bytea not null,
  created_at timestamptz not null default now()
);
create index upload_ids_user on phone.upload_ids (user_id);
create index upload_ids_created on phone.upload_ids (created_at);
