drop table timeseries.sample;
drop schema timeseries cascade;
