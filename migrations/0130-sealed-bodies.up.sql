-- Encrypted bodies of deliveries that are kept longer than DELIVERY_RETENTION_DAYS, compressed before. `entry` is empty for
-- the body of the delivery, otherwise the entry of its progress. `key_id` names the secret.
create table deliveries.sealed_body (
  delivery_id uuid not null references deliveries.delivery on delete cascade,
  entry text not null,
  key_id text not null,
  sealed bytea not null,
  body_bytes int not null,
  primary key (delivery_id, entry)
);
alter table deliveries.sealed_body alter column sealed set storage external;
create index sealed_body_key on deliveries.sealed_body (key_id);

-- The size of an encrypted body; `body` is empty then. Null: `body` is plain.
alter table deliveries.delivery add column sealed_bytes int;
create index delivery_unsealed on deliveries.delivery (done_at)
  where state = 'done' and sealed_bytes is null and erased_at is null;
