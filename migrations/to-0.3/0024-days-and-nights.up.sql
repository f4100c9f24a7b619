-- Of sleeps: some version of the item was final, whether it was stored or not.
alter table timeseries.item add column was_final boolean not null default false;
