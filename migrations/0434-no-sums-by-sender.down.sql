drop index deliveries.delivery_sender;
alter table deliveries.delivery add column received_bytes int;
create index delivery_sender on deliveries.delivery (sender) include (received_bytes) where sender is not null;

create table deliveries.stored (
  sender text primary key,
  bytes bigint not null
);
