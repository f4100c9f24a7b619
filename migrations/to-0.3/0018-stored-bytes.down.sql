drop table deliveries.stored;
drop index deliveries.delivery_sender;
alter table deliveries.delivery drop column sender, drop column received_bytes;
