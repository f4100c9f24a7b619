-- Interval data: summed values that a device measured in [start, end), with the provider's own id of each. Samples have
-- neither an end nor an id, so intervals have a table of their own; their series are shared with samples.

-- The intervals of one user from one provider: the scope of an id.
create table timeseries.interval_set (
  id int generated always as identity primary key,
  user_id uuid not null,
  provider text not null,
  unique (user_id, provider)
);

-- What measured intervals. `device` is the name of its series: unique in the set, because two sources with the same name
-- may have intervals with the same start. `device_id` is the id of the device, or its first name.
create table timeseries.interval_source (
  id int generated always as identity primary key,
  set_id int not null references timeseries.interval_set on delete cascade,
  device_type text not null,
  device_id text not null,
  app text not null,
  device text not null,
  unique (set_id, device_type, device_id, app),
  unique (set_id, device)
);

-- Series of intervals have no samples.
alter table timeseries.series add column is_interval boolean not null default false;

-- The longest interval and the outermost offsets of a series: they bound the range in which the intervals of a span start.
create table timeseries.interval_series (
  series_id int primary key references timeseries.series on delete cascade,
  source_id int not null,
  longest_ms int not null,
  min_offset_minutes smallint not null,
  max_offset_minutes smallint not null
);

-- `key` is made of the provider's id: the id itself if it is a UUID, otherwise a part of its SHA-256.
create table timeseries.interval_value (
  set_id int not null,
  series_id int not null,
  start_time timestamptz not null,
  value float8 not null,
  key uuid not null,
  duration_ms int not null,
  zone_offset_minutes smallint not null
);
create unique index interval_value_key on timeseries.interval_value (set_id, key);
create index interval_value_start on timeseries.interval_value (series_id, start_time);

-- Ids that were deleted: an older chunk that arrives later does not bring them back.
create table timeseries.deleted_interval (
  set_id int not null references timeseries.interval_set on delete cascade,
  key uuid not null,
  primary key (set_id, key)
);

alter table timeseries.interval_value alter column value set statistics 0, alter column key set statistics 0,
  alter column duration_ms set statistics 0;
alter table timeseries.interval_source alter column device set statistics 0, alter column device_id set statistics 0,
  alter column app set statistics 0;
alter table timeseries.deleted_interval alter column key set statistics 0;

-- Intervals that were written or moved. Removed ones are recorded as a change that wrote no value.
-- In plpgsql, which keeps the plan: a function in SQL is planned anew in each transaction.
create function changes.record_intervals(series int, first_at timestamptz, last_at timestamptz, n bigint) returns void
language plpgsql as $$
begin
  perform changes.record(s.user_id, 'timeseries', 'updated', s.provider || ':' || s.device || ':' || t.name, last_at,
    jsonb_build_object('series_type', t.name, 'provider', s.provider, 'device', s.device), first_at, last_at, n)
  from timeseries.series s join timeseries.series_type t on t.id = s.type_id
  where s.id = series and not changes.is_erased(s.user_id);
end $$;

create function changes.of_intervals() returns trigger language plpgsql as $$
begin
  perform changes.record_intervals(g.series_id, g.first_at, g.last_at, case when tg_op = 'DELETE' then 0 else g.n end)
  from (
    select series_id, min(start_time) as first_at, max(start_time + duration_ms * interval '1 millisecond') as last_at,
      count(*) as n
    from written group by series_id) g;
  return null;
end $$;
create function changes.of_moved_intervals() returns trigger language plpgsql as $$
begin
  perform changes.record_intervals(g.series_id, g.first_at, g.last_at, g.n)
  from (
    select series_id, min(start_time) as first_at, max(start_time + duration_ms * interval '1 millisecond') as last_at,
      sum(n) as n
    from (
      select series_id, start_time, duration_ms, 0 as n from before_rows
      union all select series_id, start_time, duration_ms, 1 from after_rows) c
    group by series_id) g;
  return null;
end $$;
create trigger changes_insert after insert on timeseries.interval_value referencing new table as written
  for each statement execute function changes.of_intervals();
create trigger changes_update after update on timeseries.interval_value
  referencing old table as before_rows new table as after_rows
  for each statement execute function changes.of_moved_intervals();
create trigger changes_delete after delete on timeseries.interval_value referencing old table as written
  for each statement execute function changes.of_intervals();
