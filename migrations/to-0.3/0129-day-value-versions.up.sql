-- The version of the normaliser that made the row; null if it was stored before this column existed.
alter table timeseries.day_value add column normaliser_version smallint;
