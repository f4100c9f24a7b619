-- TimescaleDB compresses no table whose DELETE trigger has a transition table. A row trigger collects the deleted rows
-- instead. A transaction removes what it collected before it ends, so that it sees its own rows only.
create unlogged table timeseries.deleted_sample (
  series_id int not null,
  zone_offset_minutes smallint not null,
  ts timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000);

create function timeseries.collect_deleted_sample() returns trigger language plpgsql as $$
begin
  insert into timeseries.deleted_sample values (old.series_id, old.zone_offset_minutes, old.ts);
  return null;
end $$;

-- It runs before sample_after_delete, which empties the table: triggers run in the order of their names.
create function changes.of_deleted_samples() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform changes.record(s.user_id, 'timeseries', 'updated', s.provider || ':' || s.device || ':' || t.name, g.last_at,
    jsonb_build_object('series_type', t.name, 'provider', s.provider, 'device', s.device), g.first_at, g.last_at, 0)
  from (
    select series_id, min(ts) as first_at, max(ts) as last_at from timeseries.deleted_sample group by series_id) g
  join timeseries.series s on s.id = g.series_id
  join timeseries.series_type t on t.id = s.type_id
  where not changes.is_erased(s.user_id);
  return null;
end $$;

create or replace function timeseries.sample_after_delete() returns trigger language plpgsql as $$
declare
  series_ids int[];
  hours timestamptz[];
  day_series_ids int[];
  midnights timestamptz[];
begin
  select array_agg(t.series_id), array_agg(t.hour) into series_ids, hours from (
    select distinct r.series_id, timeseries.hour_of(r.ts) as hour
    from timeseries.deleted_sample r join timeseries.series s on s.id = r.series_id) t;
  if series_ids is not null then
    select array_agg(t.series_id), array_agg(t.midnight) into day_series_ids, midnights from (
      select distinct r.series_id, timeseries.local_midnight(r.ts, r.zone_offset_minutes) as midnight
      from timeseries.deleted_sample r join timeseries.series s on s.id = r.series_id) t;
    perform timeseries.recompute_hours(series_ids, hours);
    perform timeseries.recompute_local_days(day_series_ids, midnights);
  end if;
  delete from timeseries.deleted_sample;
  return null;
end $$;

create trigger sample_collect_deleted after delete on timeseries.sample
  for each row execute function timeseries.collect_deleted_sample();
create or replace trigger changes_delete after delete on timeseries.sample
  for each statement execute function changes.of_deleted_samples();
create or replace trigger sample_after_delete after delete on timeseries.sample
  for each statement execute function timeseries.sample_after_delete();

-- Only the owner of a hypertable may compress it. These functions run with the owner's rights, for the service's role.
create function timeseries.enable_compression() returns void language plpgsql security definer set search_path = '' as $$
begin
  if exists (
    select from timescaledb_information.hypertables
    where hypertable_schema = 'timeseries' and hypertable_name = 'sample' and compression_enabled)
  then return; end if;
  alter table timeseries.sample set (
    timescaledb.compress, timescaledb.compress_segmentby = 'series_id', timescaledb.compress_orderby = 'ts');
end $$;

-- The start of a chunk of the samples. Any other table is refused.
create function timeseries.start_of_chunk(chunk regclass) returns timestamptz language plpgsql stable as $$
declare
  first timestamptz := (
    select range_start from timescaledb_information.chunks
    where hypertable_schema = 'timeseries' and hypertable_name = 'sample'
      and format('%I.%I', chunk_schema, chunk_name)::regclass = chunk);
begin
  if first is null then raise exception '% is no chunk of timeseries.sample', chunk; end if;
  return first;
end $$;

-- Compresses a chunk, or the rows that were added since. A chunk is marked as partly compressed only after the triggers
-- of the first statement that changes it: they would not see the changed rows, and delete their statistics. Inserting
-- and deleting a row marks it before it is visible to others. The values are constants of their statements, because with
-- parameters all batches would be decompressed. No series has the id 0.
create function timeseries.compress_chunk(chunk regclass) returns void
language plpgsql security definer set search_path = '' as $$
declare
  first timestamptz := timeseries.start_of_chunk(chunk);
begin
  perform public.compress_chunk(chunk, if_not_compressed => true);
  execute format('insert into timeseries.sample values (0, 0, %L, 0)', first);
  execute format('delete from timeseries.sample where series_id = 0 and ts = %L', first);
end $$;

create function timeseries.decompress_chunk(chunk regclass) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform timeseries.start_of_chunk(chunk);
  perform public.decompress_chunk(chunk, if_compressed => true);
end $$;
