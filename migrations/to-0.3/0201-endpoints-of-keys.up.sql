-- The API key that set the address of an endpoint. Null: a developer did, or it was set before this column existed.
alter table webhooks.endpoint add column api_key_id uuid;
-- Deleted keys. A request that was admitted before the deletion of its key creates and changes no endpoint after it.
create table webhooks.deleted_key (
  id uuid primary key,
  deleted_at timestamptz not null default now()
);
-- The ids that a key had before its rotations.
alter table auth.api_key add column former_ids uuid[] not null default '{}';
