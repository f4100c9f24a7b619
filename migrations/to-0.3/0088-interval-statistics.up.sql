-- Series of intervals have the statistics of samples: what counts of the source where several measured the same time.
-- `own` is what the source measured whatever others did; null for samples.
alter table timeseries.sample_local_day add column own float8;
alter table timeseries.sample_local_day alter column own set statistics 0;

-- The order of sources that a user has instead of the configured one; `type_id` 0 stands for all series types.
create table timeseries.source_priority (
  user_id uuid not null,
  type_id smallint not null,
  providers text[],
  device_types text[],
  primary key (user_id, type_id)
);

-- A purge or another order of sources changes what counts everywhere: a job computes the types of a user anew of which a
-- series has requests that are not settled.
alter table timeseries.interval_series add column requested int not null default 0,
  add column settled int not null default 0;

-- The configured order by which the statistics of a user's intervals are computed.
alter table timeseries.interval_set add column ranked_by text;
create index interval_set_ranked_by on timeseries.interval_set (ranked_by);
