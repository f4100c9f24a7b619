drop table deliveries.received_minute;
