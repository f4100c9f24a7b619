-- Who sent a delivery: a network address, or the provider where the sender proved to be it. Null in rows of before,
-- which are not counted.
alter table deliveries.delivery add column sender text, add column received_bytes int;
create index delivery_sender on deliveries.delivery (sender) include (received_bytes) where sender is not null;

-- Bytes of deliveries that are kept, by sender. Gateways add every second what they stored; a count of the deliveries
-- replaces the sums after each round of retention.
create table deliveries.stored (
  sender text primary key,
  bytes bigint not null
);
