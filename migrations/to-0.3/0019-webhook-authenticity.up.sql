-- Whether the sender of a delivery proved that it is the provider: it used the secret address, or its signature was
-- verified. A delivery that came before this column existed counts as unproven.
alter table deliveries.delivery add column authenticated boolean not null default false;
