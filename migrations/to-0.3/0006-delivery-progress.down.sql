drop table deliveries.progress;
drop index deliveries.delivery_due;
create index delivery_due on deliveries.delivery (provider, priority, run_at) where state in ('ready', 'working');
