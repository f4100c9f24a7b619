alter table timeseries.sample_day drop constraint sample_day_pkey, add primary key (series_id, bucket);
alter table timeseries.sample_local_day drop constraint sample_local_day_pkey, add primary key (series_id, date);
