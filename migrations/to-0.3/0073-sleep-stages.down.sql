alter table timeseries.sleep_session drop column stage_intervals;
