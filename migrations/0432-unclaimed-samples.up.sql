-- Samples that releases before 0.3.0 stored are as all others.
alter table timeseries.series drop column unclaimed_until;
delete from jobs.job where kind = 'timeseries.night_marking';
