drop index timeseries.item_unauthenticated;
alter table timeseries.item drop column unauthenticated;
