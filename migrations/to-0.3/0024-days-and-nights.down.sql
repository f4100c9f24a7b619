alter table timeseries.item drop column was_final;
