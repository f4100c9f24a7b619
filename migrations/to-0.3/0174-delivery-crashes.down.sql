alter table deliveries.delivery drop column crashes;
