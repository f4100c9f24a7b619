drop table deliveries.normaliser;
