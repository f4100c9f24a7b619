alter table timeseries.workout drop column cropped;
alter table timeseries.workout drop column hidden;
alter table timeseries.series drop column unclaimed_until;
drop table timeseries.other_instants;
drop table timeseries.activity_block;
