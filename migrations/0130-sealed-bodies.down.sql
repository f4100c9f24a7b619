drop index deliveries.delivery_unsealed;
alter table deliveries.delivery drop column sealed_bytes;
drop table deliveries.sealed_body;
