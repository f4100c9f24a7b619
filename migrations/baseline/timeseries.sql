create schema timeseries;

create function timeseries.collect_deleted_sample() returns trigger language plpgsql as $$
begin
  insert into timeseries.deleted_sample values (old.series_id, old.zone_offset_minutes, old.ts);
  return null;
end $$;

create function timeseries.compress_chunk(chunk regclass) returns void language plpgsql security definer set search_path to '' as $$
declare
  first timestamptz := timeseries.start_of_chunk(chunk);
begin
  perform public.compress_chunk(chunk, if_not_compressed => true);
  execute format('insert into timeseries.sample values (0, 0, %L, 0)', first);
  execute format('delete from timeseries.sample where series_id = 0 and ts = %L', first);
end $$;

create function timeseries.day_key(series_id integer, midnight timestamptz) returns bigint language sql stable parallel safe
    return (((series_id)::bigint << 24) + ((date_part('epoch'::text, midnight) / (86400)::float8))::bigint);

create function timeseries.day_of(at timestamptz) returns timestamptz language sql immutable parallel safe
    return date_bin('1 day'::interval, at, '1970-01-01 00:00:00+00'::timestamptz);

create function timeseries.decompress_chunk(chunk regclass) returns void language plpgsql security definer set search_path to '' as $$
begin
  perform timeseries.start_of_chunk(chunk);
  perform public.decompress_chunk(chunk, if_compressed => true);
end $$;

create function timeseries.drop_chunks(first timestamptz, beyond timestamptz) returns void language plpgsql security definer
    set search_path to '' as $$
begin
  perform public.drop_chunks('timeseries.sample'::regclass, older_than => beyond, newer_than => first);
end $$;

create function timeseries.enable_compression() returns void language plpgsql security definer set search_path to '' as $$
begin
  if exists (
    select from timescaledb_information.hypertables
    where hypertable_schema = 'timeseries' and hypertable_name = 'sample' and compression_enabled)
  then return; end if;
  alter table timeseries.sample set (
    timescaledb.compress, timescaledb.compress_segmentby = 'series_id', timescaledb.compress_orderby = 'ts');
end $$;

create function timeseries.fives_of(mask bigint) returns bigint language sql immutable parallel safe
    return (((((mask | (mask >> 1)) | (mask >> 2)) | (mask >> 3)) | (mask >> 4)) & ('0000000010000100001000010000100001000010000100001000010000100001'::"bit")::bigint);

create function timeseries.fives_in(mask bigint) returns smallint language sql immutable parallel safe
    return bit_count((timeseries.fives_of(mask))::bit(64));

create function timeseries.has_samples(series_ids integer[], firsts timestamptz[], lasts timestamptz[]) returns boolean language plpgsql stable
    set enable_seqscan to 'off' as $$
declare
  earliest timestamptz := (select min(f) from unnest(firsts) f);
  latest timestamptz := (select max(l) from unnest(lasts) l);
begin
  return exists (
    select from unnest(series_ids, firsts, lasts) t (series_id, first, last)
    cross join lateral (
      select from timeseries.sample x
      where x.series_id = t.series_id and x.ts >= t.first and x.ts <= t.last
        and x.ts >= earliest and x.ts <= latest
      limit 1) found);
end $$;

create function timeseries.hour_key(series_id integer, bucket timestamptz) returns bigint language sql stable parallel safe
    return (((series_id)::bigint << 24) + ((date_part('epoch'::text, bucket) / (3600)::float8))::bigint);

create function timeseries.hour_of(at timestamptz) returns timestamptz language sql immutable parallel safe
    return date_bin('01:00:00'::interval, at, '1970-01-01 00:00:00+00'::timestamptz);

create function timeseries.is_kept_night(date date, start_time timestamptz, end_time timestamptz) returns boolean language sql immutable parallel safe
    return (((end_time - start_time) <= '2 days'::interval) and ((date >= (((start_time AT TIME ZONE 'UTC'::text))::date - 1)) and (date <= (((end_time AT TIME ZONE 'UTC'::text))::date + 1))));

create function timeseries.local_midnight(at timestamptz, zone_offset_minutes smallint) returns timestamptz language sql stable parallel safe
    return date_bin('1 day'::interval, (at + ((zone_offset_minutes)::float8 * '00:01:00'::interval)), '1970-01-01 00:00:00+00'::timestamptz);

create function timeseries.mark_night() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    update timeseries.night_mean n set stale = true
    where n.user_id = old.user_id and n.date = old.date and n.provider = old.provider and not n.stale;
  end if;
  if tg_op <> 'DELETE' then
    insert into timeseries.night_mean as n (user_id, date, provider) values (new.user_id, new.date, new.provider)
    on conflict (user_id, date, provider) do update set stale = true where not n.stale;
  end if;
  return null;
end $$;

create function timeseries.mark_nights(series_ids integer[], firsts timestamptz[], lasts timestamptz[]) returns void language plpgsql as $$
begin
  update timeseries.night_mean n set stale = true
  from unnest(series_ids, firsts, lasts) t (series_id, first, last)
  join timeseries.series s on s.id = t.series_id
  join timeseries.series_type y on y.id = s.type_id and y.of_night
  where n.user_id = s.user_id and n.provider = s.provider and not n.stale
    and n.date between (t.first at time zone 'UTC')::date - 4 and (t.last at time zone 'UTC')::date + 4
    and n.start_time < t.last + interval '1 hour' and n.end_time > t.first;
end $$;

create function timeseries.minutes_in(mask bigint) returns smallint language sql immutable parallel safe return bit_count((mask)::bit(64));

create function timeseries.quarters_in(mask bigint) returns smallint language sql immutable parallel safe
    return bit_count(((((timeseries.fives_of(mask) | (timeseries.fives_of(mask) >> 5)) | (timeseries.fives_of(mask) >> 10)) & ('0000000000000000001000000000000001000000000000001000000000000001'::"bit")::bigint))::bit(64));

create function timeseries.recompute_hours(series_ids integer[], hours timestamptz[]) returns void language plpgsql set enable_seqscan to 'off' as $$
declare
  first timestamptz := (select min(hour) from unnest(hours) hour);
  beyond timestamptz := (select max(hour) + interval '1 hour' from unnest(hours) hour);
  day_series_ids int[];
  days timestamptz[];
  firsts timestamptz[];
  lasts timestamptz[];
begin
  delete from timeseries.sample_hour h using unnest(series_ids, hours) t (series_id, hour)
  where h.series_id = t.series_id and h.bucket = t.hour;

  insert into timeseries.sample_hour (series_id, bucket, n, sum, min, max, last, last_ts, mask, energy)
  select t.series_id, t.hour, g.n, g.sum, g.min, g.max,
    g.last, g.last_ts, g.mask, g.energy
  from unnest(series_ids, hours) t (series_id, hour)
  join timeseries.series s on s.id = t.series_id
  join timeseries.series_type y on y.id = s.type_id
  cross join lateral (
    select count(*) as n, sum(x.value) as sum, min(x.value) as min, max(x.value) as max, max(x.ts) as last_ts,
      (array_agg(x.value order by x.ts desc))[1] as last,
      bit_or(1::bigint << floor(date_part('epoch', x.ts - t.hour) / 60)::int) as mask,
      sum(case when y.bucket = 'leq' then power(10, x.value / 10) end) as energy
    from timeseries.sample x
    where x.series_id = t.series_id and x.ts >= t.hour and x.ts < t.hour + interval '1 hour'
      and x.ts >= first and x.ts < beyond
  ) g
  where g.n > 0;

  select array_agg(d.series_id), array_agg(d.day), array_agg(d.first), array_agg(d.last)
  into day_series_ids, days, firsts, lasts
  from (
    select t.series_id, timeseries.day_of(t.hour) as day, min(t.hour) as first, max(t.hour) as last
    from unnest(series_ids, hours) t (series_id, hour) group by t.series_id, timeseries.day_of(t.hour)
  ) d;
  perform timeseries.refresh_days(day_series_ids, days);
  perform timeseries.mark_nights(day_series_ids, firsts, lasts);
end $$;

create function timeseries.recompute_local_days(series_ids integer[], midnights timestamptz[]) returns void language plpgsql
    set enable_seqscan to 'off' as $$
declare
  first timestamptz := (select min(midnight) - interval '18 hours' from unnest(midnights) midnight);
  beyond timestamptz := (select max(midnight) + interval '42 hours' from unnest(midnights) midnight);
begin
  delete from timeseries.sample_local_day d using unnest(series_ids, midnights) t (series_id, midnight)
  where d.series_id = t.series_id and d.date = (t.midnight at time zone 'UTC')::date;

  insert into timeseries.sample_local_day (series_id, date, n, sum, min, max)
  select t.series_id, (t.midnight at time zone 'UTC')::date, g.n, g.sum, g.min, g.max
  from unnest(series_ids, midnights) t (series_id, midnight)
  join timeseries.series s on s.id = t.series_id
  cross join lateral (
    select count(*) as n, sum(x.value) as sum, min(x.value) as min, max(x.value) as max
    from timeseries.sample x
    where x.series_id = t.series_id and x.ts >= t.midnight - interval '18 hours'
      and x.ts < t.midnight + interval '42 hours' and x.ts >= first and x.ts < beyond
      and timeseries.local_midnight(x.ts, x.zone_offset_minutes) = t.midnight
  ) g
  where g.n > 0;
end $$;

create function timeseries.refresh_days(series_ids integer[], days timestamptz[]) returns void language plpgsql set enable_seqscan to 'off' as $$
begin
  insert into timeseries.sample_day as d (series_id, bucket, n, n1, n5, n15, n60)
  select t.series_id, t.day, h.n, h.n1, h.n5, h.n15, h.n60
  from unnest(series_ids, days) t (series_id, day)
  cross join lateral (
    select sum(n) as n, sum(n1) as n1, sum(n5) as n5, sum(n15) as n15, count(*) as n60
    from timeseries.sample_hour
    where series_id = t.series_id and bucket >= t.day and bucket < t.day + interval '24 hours'
  ) h
  where h.n60 > 0
  on conflict (series_id, bucket) do update
    set n = excluded.n, n1 = excluded.n1, n5 = excluded.n5, n15 = excluded.n15, n60 = excluded.n60;

  delete from timeseries.sample_day d using unnest(series_ids, days) t (series_id, day)
  where d.series_id = t.series_id and d.bucket = t.day
    and not exists (
      select from timeseries.sample_hour h
      where h.series_id = t.series_id and h.bucket >= t.day and h.bucket < t.day + interval '24 hours');
end $$;

create function timeseries.sample_after_delete() returns trigger language plpgsql as $$
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

create function timeseries.sample_after_insert() returns trigger language plpgsql set enable_seqscan to 'off' as $$
declare
  hours_done bigint[] := coalesce(nullif(current_setting('timeseries.hours_done', true), ''), '{}');
  days_done bigint[] := coalesce(nullif(current_setting('timeseries.days_done', true), ''), '{}');
  series_ids int[];
  days timestamptz[];
  firsts timestamptz[];
  lasts timestamptz[];
begin
  with grouped as materialized (
    select r.series_id, r.hour, r.day, count(*) as n, sum(r.value) as sum, min(r.value) as min, max(r.value) as max,
      max(r.ts) as last_ts, (array_agg(r.value order by r.ts))[count(*)] as last,
      bit_or(1::bigint << (r.minute - 60 * r.hour)) as mask
    from (
      select series_id, ts, value, floor(seconds / 60)::int as minute, floor(seconds / 3600)::int as hour,
        floor((seconds + 60 * zone_offset_minutes) / 86400)::int as day
      from (select series_id, ts, value, zone_offset_minutes, date_part('epoch', ts) as seconds from inserted offset 0) i
      offset 0
    ) r
    group by r.series_id, r.hour, r.day
  ), known as materialized (
    select s.id, t.bucket = 'leq' as is_leq
    from (select distinct series_id from grouped) g
    join timeseries.series s on s.id = g.series_id
    join timeseries.series_type t on t.id = s.type_id
  ), energies as (
    select r.series_id, floor(date_part('epoch', r.ts) / 3600)::int as hour, sum(power(10, r.value / 10)) as energy
    from inserted r join known k on k.id = r.series_id and k.is_leq
    group by 1, 2
  ), hours as (
    insert into timeseries.sample_hour as h (series_id, bucket, n, sum, min, max, last, last_ts, mask, energy)
    select series_id, to_timestamp(hour * 3600::float8), sum(n), sum(sum), min(min), max(max),
      (array_agg(last order by last_ts desc nulls last))[1], max(last_ts), bit_or(mask), sum(energy)
    from (
      select series_id, hour, n, sum, min, max, last, last_ts, mask, null::float8 as energy from grouped
      union all
      select series_id, hour, null, null, null, null, null, null, null, energy from energies
    ) g
    where series_id = any (array(select id from known)) and (series_id::bigint << 24) + hour <> all (hours_done)
    group by series_id, hour
    on conflict (series_id, bucket) do update
      set n = h.n + excluded.n, sum = h.sum + excluded.sum,
        min = least(h.min, excluded.min), max = greatest(h.max, excluded.max),
        last = case when excluded.last_ts >= h.last_ts then excluded.last else h.last end,
        last_ts = greatest(h.last_ts, excluded.last_ts),
        mask = h.mask | excluded.mask, energy = h.energy + excluded.energy
    returning h.series_id, h.bucket
  ), local_days as (
    insert into timeseries.sample_local_day as d (series_id, date, n, sum, min, max)
    select series_id, date '1970-01-01' + day, sum(n), sum(sum), min(min), max(max)
    from grouped
    where series_id = any (array(select id from known)) and (series_id::bigint << 24) + day <> all (days_done)
    group by series_id, day
    on conflict (series_id, date) do update
      set n = d.n + excluded.n, sum = d.sum + excluded.sum,
        min = least(d.min, excluded.min), max = greatest(d.max, excluded.max)
  )
  select array_agg(d.series_id), array_agg(d.day), array_agg(d.first), array_agg(d.last)
  into series_ids, days, firsts, lasts
  from (
    select series_id, timeseries.day_of(bucket) as day, min(bucket) as first, max(bucket) as last
    from hours group by series_id, timeseries.day_of(bucket)
  ) d;
  perform timeseries.refresh_days(series_ids, days);
  perform timeseries.mark_nights(series_ids, firsts, lasts);
  return null;
end $$;

create function timeseries.sample_after_update() returns trigger language plpgsql as $$
declare
  series_ids int[];
  hours timestamptz[];
  day_series_ids int[];
  midnights timestamptz[];
begin
  select array_agg(t.series_id), array_agg(t.hour) into series_ids, hours from (
    select r.series_id, timeseries.hour_of(r.ts) as hour from before r
    union select r.series_id, timeseries.hour_of(r.ts) from after r) t;
  if series_ids is null then return null; end if;
  select array_agg(t.series_id), array_agg(t.midnight) into day_series_ids, midnights from (
    select r.series_id, timeseries.local_midnight(r.ts, r.zone_offset_minutes) as midnight from before r
    union select r.series_id, timeseries.local_midnight(r.ts, r.zone_offset_minutes) from after r) t;
  perform timeseries.recompute_hours(series_ids, hours);
  perform timeseries.recompute_local_days(day_series_ids, midnights);
  perform
    set_config('timeseries.hours_done',
      (select array_agg(timeseries.hour_key(s, h)) from unnest(series_ids, hours) t (s, h))::text, true),
    set_config('timeseries.days_done',
      (select array_agg(timeseries.day_key(s, m)) from unnest(day_series_ids, midnights) t (s, m))::text, true);
  return null;
end $$;

create function timeseries.sample_before_insert() returns trigger language plpgsql as $$
begin
  perform set_config('timeseries.hours_done', '{}', true), set_config('timeseries.days_done', '{}', true);
  return null;
end $$;

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

create function timeseries.wipe_details() returns trigger language plpgsql as $$
begin
  delete from timeseries.workout_track where workout_id = new.id;
  delete from timeseries.workout_detail where workout_id = new.id;
  return null;
end $$;

-- Whoever deletes an item deletes its scores: a sleep, a workout or an event that no longer exists, purged items.
create function timeseries.item_after_delete() returns trigger language plpgsql set search_path to '' as $$
begin
  delete from timeseries.score s using gone g
  where s.user_id = g.user_id and s.provider = g.provider and s.data_type = g.data_type and s.key = g.key;
  return null;
end $$;

-- The score of a sleep session, without a row if it has none. A component is its number, or its word without a number.
create function timeseries.score_of_sleep(score integer, details jsonb)
  returns table (value float8, label text, components jsonb) language sql immutable as $$
  select $1::float8, $2 ->> 'score_qualifier', (
    select coalesce(jsonb_object_agg(part ->> 'name', coalesce(nullif(part -> 'value', 'null'), part -> 'qualifier')), '{}')
    from jsonb_array_elements(coalesce($2 -> 'score_parts', '[]')) part)
  where $1 is not null or $2 ->> 'score_qualifier' is not null or $2 -> 'score_parts' <> '[]'
$$;

-- The scores in the values of a day, a row for each kind that has some.
create function timeseries.scores_of_day(vals jsonb) returns table (kind text, value float8, label text, components jsonb) language sql immutable as $$
  select k.kind, ($1 ->> k.value)::float8, $1 ->> k.label,
    (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each($1) e where e.key = any(k.parts))
  from (values
    ('stress', 'average_stress_level', 'stress_qualifier', array['max_stress_level', 'stress_seconds', 'rest_stress_seconds',
      'activity_stress_seconds', 'low_stress_seconds', 'medium_stress_seconds', 'high_stress_seconds']),
    ('body_battery', null, null, array['body_battery_charged', 'body_battery_drained'])
  ) k (kind, value, label, parts)
  where $1 ?| (array[k.value, k.label] || k.parts)
$$;

-- The id of a score in the values of a day, which have one row for several scores: a hash in the form of a UUID of version 5.
create function timeseries.day_score_id(day_value_id uuid, kind text) returns uuid language sql immutable as $$
  select overlay(overlay(md5($1::text || $2) placing '5' from 13) placing '8' from 17)::uuid
$$;

-- The samples that each activity brought, so that they can be removed with it. A row holds the
-- samples of one series and UTC day of one part of an item; `hash` is the version of the item. services/timeseries/
-- sample-codec.ts encodes `times` and `vals`: about 2 bytes a sample.
create table timeseries.activity_block (
  id bigint generated always as identity primary key,
  user_id uuid not null,
  provider text not null,
  data_type text not null,
  key text not null,
  hash text not null,
  part integer not null,
  series_id integer not null,
  day date not null,
  zone_offset_minutes smallint not null,
  times bytea not null,
  vals bytea not null,
  placed_by smallint
);
alter table timeseries.activity_block alter column key set statistics 0, alter column times set statistics 0, alter column vals set statistics 0;
create index activity_block_day on timeseries.activity_block (series_id, day);
create index activity_block_item on timeseries.activity_block (user_id, provider, key);
create index activity_block_old on timeseries.activity_block (day);

-- The clocks that data of a user states: bit n of `hours` is the hour n of the UTC day.
create table timeseries.clock_day (
  user_id uuid not null,
  day date not null,
  zone_offset_minutes smallint not null,
  hours integer not null,
  primary key (user_id, day, zone_offset_minutes)
);

-- The values of a local day that no series and no summary has, a row per item that contained some: stress, goals, resting
-- values. `vals` has the values by name, `extra` further fields by the provider's own names.
create table timeseries.day_value (
  id uuid primary key,
  user_id uuid not null,
  provider text not null,
  data_type text not null,
  key text not null,
  device text not null,
  date date not null,
  start_time timestamptz not null,
  duration_seconds integer not null,
  zone_offset_minutes smallint,
  vals jsonb not null,
  extra jsonb,
  normaliser_version smallint,
  placed_by smallint,
  unique (user_id, provider, data_type, key)
);
alter table timeseries.day_value
  alter column key set statistics 0, alter column device set statistics 0, alter column duration_seconds set statistics 0,
  alter column vals set statistics 0, alter column extra set statistics 0;
create index day_value_by_date on timeseries.day_value (user_id, date);
create index day_value_by_start on timeseries.day_value (user_id, start_time, id);

-- The intervals of one user from one provider: the scope of an id.
create table timeseries.interval_set (
  id integer generated always as identity primary key,
  user_id uuid not null,
  provider text not null,
  ranked_by text,
  unique (user_id, provider)
);
create index interval_set_ranked_by on timeseries.interval_set (ranked_by);

-- Ids that were deleted: an older chunk that arrives later does not bring them back.
create table timeseries.deleted_interval (
  set_id integer not null references timeseries.interval_set on delete cascade,
  key uuid not null,
  primary key (set_id, key)
);
alter table timeseries.deleted_interval alter column key set statistics 0;

-- TimescaleDB compresses no table whose delete trigger has a transition table. A row trigger collects the deleted rows
-- instead. A transaction removes what it collected before it ends, so that it sees its own rows only.
create unlogged table timeseries.deleted_sample (
  series_id integer not null,
  zone_offset_minutes smallint not null,
  ts timestamptz not null
) with (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='100000');

-- Parts of slots of time, one an activity type, possibly of different deliveries. The slot's samples are computed
-- from all of its parts, so each is kept: `vals` holds a value by series type.
create table timeseries.epoch_part (
  user_id uuid not null,
  provider text not null,
  start_time timestamptz not null,
  activity_type text not null,
  device text not null,
  zone_offset_minutes smallint not null,
  local_date date not null,
  active_seconds integer,
  sedentary_seconds integer,
  vals jsonb not null,
  slot_seconds integer,
  delivery integer default 0 not null,
  superseded jsonb,
  placed_by smallint,
  primary key (user_id, provider, start_time, activity_type)
);
alter table timeseries.epoch_part
  alter column device set statistics 0, alter column active_seconds set statistics 0, alter column vals set statistics 0;
create index epoch_part_sedentary on timeseries.epoch_part (user_id, local_date) include (provider, sedentary_seconds) where (sedentary_seconds is not null);
create index epoch_part_superseded on timeseries.epoch_part (local_date) where (superseded is not null);
create index epoch_part_with_values on timeseries.epoch_part (local_date) where (vals <> '{}');

-- The catalogue of domain/records/series.ts, written at each start of the service: the triggers need to know which types
-- are levels in dB.
create table timeseries.series_type (
  id smallint primary key,
  name text not null unique,
  bucket text not null,
  of_night boolean default false not null
);

-- The samples of one user, provider, device and series type.
create table timeseries.series (
  id integer generated always as identity primary key,
  user_id uuid not null,
  type_id smallint not null references timeseries.series_type,
  provider text not null,
  device text not null,
  is_interval boolean default false not null,
  unique (user_id, type_id, provider, device)
);
alter table timeseries.series alter column device set statistics 0;

-- The longest interval and the outermost offsets of a series: they bound the range in which the intervals of a span start.
create table timeseries.interval_series (
  series_id integer primary key references timeseries.series on delete cascade,
  source_id integer not null,
  longest_ms integer not null,
  min_offset_minutes smallint not null,
  max_offset_minutes smallint not null,
  requested integer default 0 not null,
  settled integer default 0 not null
);

-- What measured intervals. `device` is the name of its series: unique in the set, because two sources with the same name
-- may have intervals with the same start. `device_id` is the id of the device, or its first name.
create table timeseries.interval_source (
  id integer generated always as identity primary key,
  set_id integer not null references timeseries.interval_set on delete cascade,
  device_type text not null,
  device_id text not null,
  app text not null,
  device text not null,
  unique (set_id, device),
  unique (set_id, device_type, device_id, app)
);
alter table timeseries.interval_source
  alter column device_id set statistics 0, alter column app set statistics 0, alter column device set statistics 0;

-- `key` is made of the provider's id: the id itself if it is a UUID, otherwise a part of its SHA-256.
create table timeseries.interval_value (
  set_id integer not null,
  series_id integer not null,
  start_time timestamptz not null,
  value float8 not null,
  key uuid not null,
  duration_ms integer not null,
  zone_offset_minutes smallint not null,
  placed_by smallint
);
alter table timeseries.interval_value
  alter column value set statistics 0, alter column key set statistics 0, alter column duration_ms set statistics 0;
create unique index interval_value_key on timeseries.interval_value (set_id, key);
create index interval_value_start on timeseries.interval_value (series_id, start_time);

-- The version ledger: which version of a provider's item is stored. `hash` is null while parts are pending; then
-- `pending_hash` names the version that they belong to. `is_first` tells a new item from one that replaced another.
create table timeseries.item (
  user_id uuid not null,
  provider text not null,
  data_type text not null,
  key text not null,
  duration_seconds integer not null,
  hash text,
  pending_hash text,
  is_first boolean not null,
  record_ids uuid[] not null,
  was_final boolean default false not null,
  normaliser_version smallint,
  received_at timestamptz,
  -- The span of an item that has the clock of another one: the item of this data type with the same key.
  clock_of text,
  clock_from timestamptz,
  clock_to timestamptz,
  primary key (user_id, provider, data_type, key)
);
alter table timeseries.item
  alter column key set statistics 0, alter column duration_seconds set statistics 0, alter column hash set statistics 0,
  alter column pending_hash set statistics 0;
create index item_clock_of on timeseries.item (user_id, provider, clock_of, key) where clock_of is not null;

-- The means of a night's samples, kept so that a page of nights reads no samples. Triggers mark a row as stale when a main
-- session of the night or a sample within it changes, whichever process changes it. A job computes stale rows under the
-- user's lock; until then a page computes those nights itself.
create table timeseries.night_mean (
  user_id uuid not null,
  date date not null,
  provider text not null,
  stale boolean default true not null,
  start_time timestamptz,
  end_time timestamptz,
  heart_rate float8,
  heart_rate_variability_sdnn float8,
  respiratory_rate float8,
  oxygen_saturation float8,
  primary key (user_id, date, provider)
);
alter table timeseries.night_mean
  alter column heart_rate set statistics 0, alter column heart_rate_variability_sdnn set statistics 0,
  alter column respiratory_rate set statistics 0, alter column oxygen_saturation set statistics 0;
create index night_mean_stale on timeseries.night_mean (user_id, date, provider) where stale;

-- Instants of a series at which a record that is no activity brought a sample. Such a sample stays when an activity of
-- the same instant goes, and its value counts before the activity's.
create table timeseries.other_instants (
  series_id integer not null,
  day date not null,
  times bytea not null,
  primary key (series_id, day)
);
create index other_instants_old on timeseries.other_instants (day);

-- Events that are neither workouts nor sleep, kept as they were sent.
create table timeseries.other_record (
  id uuid primary key,
  user_id uuid not null,
  provider text not null,
  type text not null,
  key text not null,
  device text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  zone_offset_minutes smallint not null,
  local_date date not null,
  data jsonb not null,
  zone_reported boolean default true not null,
  normaliser_version smallint,
  placed_by smallint,
  unique (user_id, provider, type, key)
);
alter table timeseries.other_record alter column key set statistics 0, alter column device set statistics 0, alter column data set statistics 0;
create index other_record_by_local_date on timeseries.other_record (user_id, local_date);
create index other_record_by_start on timeseries.other_record (user_id, start_time, id);
create index other_record_by_type on timeseries.other_record (user_id, type, start_time, id);
create index other_record_of_meal on timeseries.other_record (user_id, ((data ->> 'meal_id'))) where type = 'nutrition';

-- The spans of the data of each provider that was placed by another clock than its own. `time_zone` is the user's as of the last
-- of it. What lies from `due_from` to `due_to` is placed anew by a job.
create table timeseries.placed_span (
  user_id uuid not null,
  provider text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  time_zone text,
  due_from timestamptz,
  due_to timestamptz,
  primary key (user_id, provider)
);

-- A provider's own totals of a local day. Two items may name one date (a day that was begun in another zone).
create table timeseries.provider_day (
  id uuid primary key,
  user_id uuid not null,
  provider text not null,
  key text not null,
  device text not null,
  date date not null,
  start_time timestamptz not null,
  zone_offset_minutes smallint not null,
  duration_seconds integer not null,
  steps integer,
  distance_meters float8,
  floors_climbed integer,
  active_seconds integer,
  moderate_seconds integer,
  vigorous_seconds integer,
  active_calories_kcal float8,
  basal_calories_kcal float8,
  avg_heart_rate_bpm integer,
  min_heart_rate_bpm integer,
  max_heart_rate_bpm integer,
  pushes integer,
  consumed_calories_kcal float8,
  normaliser_version smallint,
  placed_by smallint,
  zone_reported boolean default false not null,
  unique (user_id, provider, key)
);
alter table timeseries.provider_day
  alter column key set statistics 0, alter column device set statistics 0, alter column duration_seconds set statistics 0,
  alter column steps set statistics 0, alter column distance_meters set statistics 0, alter column floors_climbed set statistics 0,
  alter column active_seconds set statistics 0, alter column moderate_seconds set statistics 0, alter column vigorous_seconds set statistics 0,
  alter column active_calories_kcal set statistics 0, alter column basal_calories_kcal set statistics 0,
  alter column avg_heart_rate_bpm set statistics 0, alter column min_heart_rate_bpm set statistics 0,
  alter column max_heart_rate_bpm set statistics 0, alter column pushes set statistics 0, alter column consumed_calories_kcal set statistics 0;
create index provider_day_by_date on timeseries.provider_day (user_id, date);

-- Whose data of a provider was taken away: nothing is stored of it while the door is closed, so that a delivery in
-- flight brings nothing back. `version` names the request: a late repetition of it, after the user has connected
-- anew, does nothing. `series_ids` are those whose samples still lie there.
create table timeseries.purge (
  user_id uuid not null,
  provider text not null,
  version integer not null,
  closed boolean not null,
  series_ids integer[] not null,
  items_done boolean not null,
  purged_at timestamptz default now() not null,
  primary key (user_id, provider)
);
create index purge_unfinished on timeseries.purge (purged_at) where (not items_done) or (cardinality(series_ids) > 0);

-- How far the retention of samples has come, one row for all processes: whoever holds it works. Samples of local days
-- before `kept_from` go series by series; those up to `series_id` are done. Nobody works while finished_at is set and
-- the day is the same.
create table timeseries.retention (
  one boolean default true check (one) primary key,
  kept_from date default '-infinity'::date not null,
  series_id integer default 0 not null,
  finished_at timestamptz
);

-- How long data of a project is kept; null keeps it. The rest is the progress of the pass of `pass_day`: the users up
-- to `pass_user` are done, and of the next ones the series up to `pass_series`.
create table timeseries.retention_rule (
  project_id text primary key,
  updated_at timestamptz(3) default now() not null,
  pass_day date,
  pass_user uuid,
  pass_series integer default 0 not null,
  finished_at timestamptz,
  samples_days integer,
  events_days integer
);

-- What is stored of the routes of a user. `version` counts changes. Without a row the setting STORE_ROUTES applies.
create table timeseries.route_privacy (
  user_id uuid primary key,
  stores boolean,
  zones jsonb default '[]' not null,
  version integer not null
);
alter table timeseries.route_privacy alter column zones set statistics 0;

-- The offset is free in this place (padding); last in the row it costs 15 %. The key is an index rather than a
-- constraint because chunks take over the fill factor of the one only: 80.8 bytes a sample instead of 83.9, and
-- stored as fast, since samples come in the order of time.
create table timeseries.sample (
  series_id integer not null,
  zone_offset_minutes smallint not null,
  ts timestamptz not null,
  value float8 not null,
  -- By what data without an offset of its own was placed; null: by its own, or before this column.
  --   1 the record that it names, 2 the nearest record of its provider, 3 the user's time zone, 4 the nearest known clock,
  --   5 none: UTC (domain/time/clocks.ts).
  -- 10 more: its date was sent. Negative: its times are those of a clock, and the offset turned them into UTC.
  placed_by smallint
);
alter table timeseries.sample alter column value set statistics 0;
create unique index sample_key on timeseries.sample (series_id, ts) with (fillfactor='100');
do $$
begin
  if exists (select from pg_extension where extname = 'timescaledb') then
    perform create_hypertable('timeseries.sample', by_range('ts', interval '30 days'), create_default_indexes => false);
    -- The planner stops early over time_bucket, which it knows to rise with its argument; over date_bin it cannot.
    create function timeseries.bucket_of(width interval, at timestamptz) returns timestamptz
      language sql immutable parallel safe return time_bucket(width, at);
  else
    create function timeseries.bucket_of(width interval, at timestamptz) returns timestamptz
      language sql immutable parallel safe return date_bin(width, at, timestamptz '1970-01-01 00:00:00+00');
  end if;
end $$;

-- Counts of a series in a UTC day: samples, and buckets that are not empty.
create table timeseries.sample_day (
  series_id integer not null,
  n integer not null,
  bucket timestamptz not null,
  n1 smallint not null,
  n5 smallint not null,
  n15 smallint not null,
  n60 smallint not null,
  primary key (series_id, bucket) include (n, n1, n5, n15, n60)
);

-- `last` is the value at `last_ts`; `energy` the sum of 10^(value/10), of levels in dB only.
create table timeseries.sample_hour (
  series_id integer not null,
  n integer not null,
  bucket timestamptz not null,
  sum float8 not null,
  min float8 not null,
  max float8 not null,
  last float8 not null,
  last_ts timestamptz not null,
  mask bigint not null,
  n1 smallint generated always as (timeseries.minutes_in(mask)) stored not null,
  n5 smallint generated always as (timeseries.fives_in(mask)) stored not null,
  n15 smallint generated always as (timeseries.quarters_in(mask)) stored not null,
  energy float8,
  primary key (series_id, bucket)
);
alter table timeseries.sample_hour
  alter column sum set statistics 0, alter column min set statistics 0, alter column max set statistics 0, alter column last set statistics 0,
  alter column energy set statistics 0;

-- By the local clock that each sample carries.
create table timeseries.sample_local_day (
  series_id integer not null,
  date date not null,
  n integer not null,
  sum float8 not null,
  min float8 not null,
  max float8 not null,
  own float8,
  primary key (series_id, date) include (n, sum, min, max)
);
alter table timeseries.sample_local_day
  alter column sum set statistics 0, alter column min set statistics 0, alter column max set statistics 0, alter column own set statistics 0;

-- Scores that a provider computed, a row per item and kind. A later version of the item replaces them. Scores of sleep sessions
-- and of day values are not stored a second time: the list reads them from there.
create table timeseries.score (
  id uuid primary key,
  user_id uuid not null,
  provider text not null,
  data_type text not null,
  key text not null,
  kind text not null,
  device text not null,
  date date not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  -- Null if the provider sent none.
  zone_offset_minutes smallint,
  -- Null where the provider gives only a word.
  value float8,
  label text,
  components jsonb not null,
  normaliser_version smallint,
  placed_by smallint,
  unique (user_id, provider, data_type, key, kind)
);
alter table timeseries.score
  alter column key set statistics 0, alter column device set statistics 0, alter column value set statistics 0, alter column label set statistics 0,
  alter column components set statistics 0;
create index score_by_date on timeseries.score (user_id, date);
create index score_by_start on timeseries.score (user_id, start_time, id);

-- `key` is that of the item that wrote the session as it stands; `date` the local day of waking up.
create table timeseries.sleep_session (
  id uuid primary key,
  user_id uuid not null,
  provider text not null,
  key text not null,
  device text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  zone_offset_minutes smallint not null,
  date date not null,
  is_nap boolean not null,
  rank smallint not null,
  asleep_seconds integer,
  deep_seconds integer,
  light_seconds integer,
  rem_seconds integer,
  awake_seconds integer,
  unmeasurable_seconds integer,
  interruptions integer,
  score integer,
  stage_intervals jsonb,
  details jsonb,
  zone_reported boolean default true not null,
  normaliser_version smallint,
  placed_by smallint
);
alter table timeseries.sleep_session
  alter column key set statistics 0, alter column device set statistics 0, alter column asleep_seconds set statistics 0,
  alter column deep_seconds set statistics 0, alter column light_seconds set statistics 0, alter column rem_seconds set statistics 0,
  alter column awake_seconds set statistics 0, alter column unmeasurable_seconds set statistics 0, alter column interruptions set statistics 0,
  alter column score set statistics 0, alter column stage_intervals set statistics 0, alter column details set statistics 0;
create index sleep_session_by_date on timeseries.sleep_session (user_id, date);
create index sleep_session_by_start on timeseries.sleep_session (user_id, start_time, id);

-- The order of sources that a user has instead of the configured one; `type_id` 0 stands for all series types.
create table timeseries.source_priority (
  user_id uuid not null,
  type_id smallint not null,
  providers text[],
  device_types text[],
  primary key (user_id, type_id)
);

-- Users who were erased: nothing is stored for them any more. `series_ids` are those whose samples still lie there.
create table timeseries.tombstone (
  user_id uuid primary key,
  series_ids integer[] not null,
  erased_at timestamptz default now() not null,
  finished_at timestamptz
);
create index tombstone_unfinished on timeseries.tombstone (erased_at) where finished_at is null;

-- A workout, as it is listed.
create table timeseries.workout (
  id uuid primary key,
  user_id uuid not null,
  provider text not null,
  key text not null,
  device text not null,
  type text not null,
  raw_type text not null,
  name text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  zone_offset_minutes smallint not null,
  local_date date not null,
  duration_seconds integer not null,
  moving_seconds integer,
  calories_kcal float8,
  distance_meters float8,
  avg_heart_rate_bpm integer,
  max_heart_rate_bpm integer,
  avg_pace_sec_per_km float8,
  elevation_gain_meters float8,
  steps integer,
  manual boolean,
  web_upload boolean,
  private boolean,
  is_parent boolean not null,
  parent_id text,
  duplicate_of uuid,
  deleted_at timestamptz,
  parts jsonb default '{}' not null,
  cropped boolean default false not null,
  counted_with uuid,
  counted_on date,
  zone_reported boolean default true not null,
  normaliser_version smallint,
  placed_by smallint,
  unique (user_id, provider, key)
);
alter table timeseries.workout
  alter column key set statistics 0, alter column device set statistics 0, alter column name set statistics 0,
  alter column duration_seconds set statistics 0, alter column moving_seconds set statistics 0, alter column calories_kcal set statistics 0,
  alter column distance_meters set statistics 0, alter column avg_heart_rate_bpm set statistics 0, alter column max_heart_rate_bpm set statistics 0,
  alter column avg_pace_sec_per_km set statistics 0, alter column elevation_gain_meters set statistics 0, alter column steps set statistics 0,
  alter column parent_id set statistics 0, alter column parts set statistics 0;
create index workout_by_local_date on timeseries.workout (user_id, local_date) where (deleted_at is null) and (duplicate_of is null) and (not is_parent);
create index workout_by_start on timeseries.workout (user_id, start_time, id);
create index workout_listed on timeseries.workout (user_id, start_time, id) where (deleted_at is null) and (duplicate_of is null) and (not is_parent);
create index workout_listed_by_type on timeseries.workout (user_id, type, start_time, id) where (deleted_at is null) and (duplicate_of is null) and (not is_parent);
create index workout_of_parent on timeseries.workout (user_id, provider, parent_id) where parent_id is not null;

-- What providers send of a workout beside its fields: details, laps and splits, by data type. `track_of` and `track_hash`
-- name the data type and the version whose track is complete. Rows are deleted with their workout.
create table timeseries.workout_detail (
  workout_id uuid primary key references timeseries.workout on delete cascade,
  user_id uuid not null,
  parts jsonb default '{}' not null,
  track_of text,
  track_hash text
);
alter table timeseries.workout_detail alter column parts set statistics 0;

-- The track of a workout: at most 1,800 points a row, a column per stream. domain/workouts/track-codec.ts encodes them: about
-- 2 bytes a value. `hash` is the version of the item. Positions are location data.
create table timeseries.workout_track (
  workout_id uuid not null references timeseries.workout on delete cascade,
  user_id uuid not null,
  data_type text not null,
  hash text not null,
  chunk integer not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  points integer not null,
  located integer not null,
  times bytea not null,
  latitude bytea,
  longitude bytea,
  altitude bytea,
  distance bytea,
  speed bytea,
  heart_rate bytea,
  cadence bytea,
  power bytea,
  temperature bytea,
  grade bytea,
  moving bytea,
  primary key (workout_id, data_type, hash, chunk)
);
alter table timeseries.workout_track
  alter column times set statistics 0, alter column latitude set statistics 0, alter column longitude set statistics 0,
  alter column altitude set statistics 0, alter column distance set statistics 0, alter column speed set statistics 0,
  alter column heart_rate set statistics 0, alter column cadence set statistics 0, alter column power set statistics 0,
  alter column temperature set statistics 0, alter column grade set statistics 0, alter column moving set statistics 0;
create index workout_track_located on timeseries.workout_track (user_id, workout_id) where located > 0;
create index workout_track_old on timeseries.workout_track (end_time);

insert into timeseries.retention default values;

create trigger changes after insert or delete or update on timeseries.day_value for each row execute function changes.of_day_value();
create trigger changes_scores after insert or update or delete on timeseries.day_value for each row execute function changes.of_day_scores();
create trigger changes_delete after delete on timeseries.epoch_part referencing old table as before_rows for each statement
  execute function changes.of_epoch_parts();
create trigger changes_insert after insert on timeseries.epoch_part referencing new table as after_rows for each statement
  execute function changes.of_epoch_parts();
create trigger changes_update after update on timeseries.epoch_part referencing old table as before_rows new table as after_rows for each statement
  execute function changes.of_epoch_parts();
create trigger changes_delete after delete on timeseries.interval_value referencing old table as written for each statement
  execute function changes.of_intervals();
create trigger changes_insert after insert on timeseries.interval_value referencing new table as written for each statement
  execute function changes.of_intervals();
create trigger changes_update after update on timeseries.interval_value referencing old table as before_rows new table as after_rows
  for each statement execute function changes.of_moved_intervals();
create trigger item_after_delete after delete on timeseries.item referencing old table as gone for each statement
  execute function timeseries.item_after_delete();
create trigger changes after insert or delete or update on timeseries.provider_day for each row execute function changes.of_day();
create trigger enqueue_purge after insert or update of version on timeseries.purge for each row
  execute function jobs.enqueue_written('timeseries.purge', '{user_id,provider}', '{user_id,provider}');
create trigger changes_delete after delete on timeseries.sample for each statement execute function changes.of_deleted_samples();
create trigger changes_insert after insert on timeseries.sample referencing new table as written for each statement
  execute function changes.of_samples();
create trigger changes_update after update on timeseries.sample referencing new table as written for each statement
  execute function changes.of_samples();
create trigger sample_after_delete after delete on timeseries.sample for each statement execute function timeseries.sample_after_delete();
create trigger sample_after_insert after insert on timeseries.sample referencing new table as inserted for each statement
  execute function timeseries.sample_after_insert();
create trigger sample_after_update after update on timeseries.sample referencing old table as before new table as after for each statement
  execute function timeseries.sample_after_update();
create trigger sample_before_insert before insert on timeseries.sample for each statement execute function timeseries.sample_before_insert();
create trigger sample_collect_deleted after delete on timeseries.sample for each row execute function timeseries.collect_deleted_sample();
create trigger changes_delete after delete on timeseries.sample_local_day referencing old table as written for each statement
  execute function changes.of_local_days();
create trigger changes_insert after insert on timeseries.sample_local_day referencing new table as written for each statement
  execute function changes.of_local_days();
create trigger changes_update after update on timeseries.sample_local_day referencing new table as written for each statement
  execute function changes.of_local_days();
create trigger changes after insert or update or delete on timeseries.score for each row execute function changes.of_score();
create trigger changes after delete on timeseries.series referencing old table as removed for each statement execute function changes.of_series();
create trigger changes after insert or delete or update on timeseries.sleep_session for each row execute function changes.of_sleep();
create trigger changes_score after insert or update or delete on timeseries.sleep_session for each row execute function changes.of_sleep_score();
create trigger mark_night_delete after delete on timeseries.sleep_session for each row when (not old.is_nap) execute function timeseries.mark_night();
create trigger mark_night_insert after insert on timeseries.sleep_session for each row when (not new.is_nap) execute function timeseries.mark_night();
create trigger mark_night_update after update on timeseries.sleep_session
  for each row when ((not (old.is_nap and new.is_nap)) and ((old.user_id, old.provider, old.date, old.is_nap, old.device, old.start_time, old.end_time, old.asleep_seconds) is distinct from (new.user_id, new.provider, new.date, new.is_nap, new.device, new.start_time, new.end_time, new.asleep_seconds))) execute function timeseries.mark_night();
create trigger enqueue_erasure after insert on timeseries.tombstone for each row
  execute function jobs.enqueue_written('timeseries.erasure', '{user_id}', '{}');
create trigger changes after insert or delete or update on timeseries.workout for each row execute function changes.of_workout();
create trigger changes_of_day after insert or delete or update on timeseries.workout for each row execute function changes.of_day();
create trigger wipe_details after update on timeseries.workout for each row when (new.deleted_at is not null)
  execute function timeseries.wipe_details();
create trigger changes after insert or delete or update on timeseries.workout_detail for each row execute function changes.of_workout_detail();
