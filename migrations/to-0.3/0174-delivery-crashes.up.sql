-- How often a lease expired while a delivery was in work: its process ended, or stood still.
alter table deliveries.delivery add column crashes smallint not null default 0;
