drop table timeseries.day_value;
drop function changes.of_day_value();
