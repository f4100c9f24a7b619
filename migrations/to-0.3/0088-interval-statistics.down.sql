drop index timeseries.interval_set_ranked_by;
alter table timeseries.interval_set drop column ranked_by;
alter table timeseries.interval_series drop column requested, drop column settled;
drop table timeseries.source_priority;
alter table timeseries.sample_local_day drop column own;
