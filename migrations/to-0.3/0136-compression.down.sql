drop function timeseries.enable_compression(), timeseries.compress_chunk(regclass), timeseries.decompress_chunk(regclass),
  timeseries.start_of_chunk(regclass);
drop trigger sample_collect_deleted on timeseries.sample;
create or replace trigger changes_delete after delete on timeseries.sample referencing old table as written
  for each statement execute function changes.of_samples();
create or replace trigger sample_after_delete after delete on timeseries.sample
  referencing old table as before for each statement execute function timeseries.sample_after_delete();

create or replace function timeseries.sample_after_delete() returns trigger language plpgsql as $$
declare
  series_ids int[];
  hours timestamptz[];
  day_series_ids int[];
  midnights timestamptz[];
begin
  select array_agg(t.series_id), array_agg(t.hour) into series_ids, hours from (
    select distinct r.series_id, timeseries.hour_of(r.ts) as hour
    from before r join timeseries.series s on s.id = r.series_id) t;
  if series_ids is null then return null; end if;
  select array_agg(t.series_id), array_agg(t.midnight) into day_series_ids, midnights from (
    select distinct r.series_id, timeseries.local_midnight(r.ts, r.zone_offset_minutes) as midnight from before r
    join timeseries.series s on s.id = r.series_id) t;
  perform timeseries.recompute_hours(series_ids, hours);
  perform timeseries.recompute_local_days(day_series_ids, midnights);
  return null;
end $$;
drop function changes.of_deleted_samples(), timeseries.collect_deleted_sample();
drop table timeseries.deleted_sample;
