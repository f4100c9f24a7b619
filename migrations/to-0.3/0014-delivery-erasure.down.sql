alter table deliveries.delivery drop column erased_at;
drop table deliveries.erasure;
