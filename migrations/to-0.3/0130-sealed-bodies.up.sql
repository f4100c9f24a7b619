-- Encrypted bodies of deliveries that are kept longer than DELIVERY_RETENTION_DAYS, compressed before. `entry` is empty for
-- the body of the delivery, otherwise the entry of its progress. `key_id` names the secret. `done_at` is that of the delivery,
-- in the row of its own body: older deliveries are encrypted already, so that the search for others begins there.
create table deliveries.sealed_body (
  delivery_id uuid not null references deliveries.delivery on delete cascade,
  entry text not null,
  key_id text not null,
  sealed bytea not null,
  body_bytes int not null,
  done_at timestamptz,
  primary key (delivery_id, entry)
);
alter table deliveries.sealed_body alter column sealed set storage external;
create index sealed_body_key on deliveries.sealed_body (key_id);
create index sealed_body_done on deliveries.sealed_body (done_at);

-- The size of an encrypted body; `body` is empty then. Null: `body` is plain.
alter table deliveries.delivery add column sealed_bytes int;
