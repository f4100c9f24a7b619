alter table timeseries.workout drop column parts;
drop table timeseries.other_record;
drop table timeseries.epoch_part;
