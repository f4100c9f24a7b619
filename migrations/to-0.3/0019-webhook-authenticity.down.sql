alter table deliveries.delivery drop column authenticated;
