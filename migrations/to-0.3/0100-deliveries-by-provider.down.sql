drop index deliveries.delivery_of_provider;
