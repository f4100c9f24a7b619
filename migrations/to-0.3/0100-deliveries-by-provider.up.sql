-- The list of the deliveries of one provider, newest first.
create index delivery_of_provider on deliveries.delivery (provider, state, received_at, id);
