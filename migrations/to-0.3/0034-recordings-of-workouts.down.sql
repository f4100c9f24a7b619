alter table timeseries.workout drop column counted_with, drop column counted_on;
