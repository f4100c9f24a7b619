alter table timeseries.series add column unclaimed_until timestamptz default '-infinity' not null;
alter table timeseries.series alter column unclaimed_until set default now() + interval '1 day';
