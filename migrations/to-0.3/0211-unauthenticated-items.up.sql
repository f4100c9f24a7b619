-- Whether the stored version of an item came in a webhook delivery whose sender was not authenticated.
alter table timeseries.item add column unauthenticated boolean not null default false;
create index item_unauthenticated on timeseries.item (user_id, provider, data_type, key) where unauthenticated;
