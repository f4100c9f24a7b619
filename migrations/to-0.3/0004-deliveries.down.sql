drop schema deliveries cascade;
