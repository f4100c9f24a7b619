alter table timeseries.day_value drop column normaliser_version;
