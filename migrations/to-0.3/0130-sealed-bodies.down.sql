alter table deliveries.delivery drop column sealed_bytes;
drop table deliveries.sealed_body;
