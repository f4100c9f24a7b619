drop index timeseries.epoch_part_with_values;
drop table timeseries.retention;
