-- All stored health data, owned by the service `timeseries`. Samples are narrow rows under a series of their own
-- (81 bytes each with their index; 230 with user, type and source in every row). Statistics per hour, UTC day and
-- local day are kept by triggers, so that counts and hourly values never touch the samples.
create schema timeseries;

-- The catalogue of domain/records/series.ts, written at each start of the service: the triggers need to know which types
-- are levels in dB.
create table timeseries.series_type (
  id smallint primary key,
  name text not null unique,
  bucket text not null
);

create table timeseries.series (
  id int generated always as identity primary key,
  user_id uuid not null,
  type_id smallint not null references timeseries.series_type,
  provider text not null,
  device text not null,
  unique (user_id, type_id, provider, device)
);

-- The offset is free in this place (padding); last in the row it costs 15 %. The key is an index rather than a
-- constraint because chunks take over the fill factor of the one only: 80.8 bytes a sample instead of 83.9, and
-- stored as fast, since samples come in the order of time.
create table timeseries.sample (
  series_id int not null,
  zone_offset_minutes smallint not null,
  ts timestamptz not null,
  value float8 not null
);
create unique index sample_key on timeseries.sample (series_id, ts) with (fillfactor = 100);

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

-- How many minutes, five minutes, quarters of an hour have a sample; bit m of a mask is minute m of the hour.
create function timeseries.minutes_in(mask bigint) returns smallint
  language sql immutable parallel safe return bit_count(mask::bit(64));
create function timeseries.fives_of(mask bigint) returns bigint
  language sql immutable parallel safe
  return (mask | (mask >> 1) | (mask >> 2) | (mask >> 3) | (mask >> 4)) & x'0084210842108421'::bigint;
create function timeseries.fives_in(mask bigint) returns smallint
  language sql immutable parallel safe return bit_count(timeseries.fives_of(mask)::bit(64));
create function timeseries.quarters_in(mask bigint) returns smallint
  language sql immutable parallel safe
  return bit_count(((timeseries.fives_of(mask) | (timeseries.fives_of(mask) >> 5) | (timeseries.fives_of(mask) >> 10))
    & x'0000200040008001'::bigint)::bit(64));

-- `last` is the value at `last_ts`; `energy` the sum of 10^(value/10), of levels in dB only.
create table timeseries.sample_hour (
  series_id int not null,
  n int not null,
  bucket timestamptz not null,
  sum float8 not null,
  min float8 not null,
  max float8 not null,
  last float8 not null,
  last_ts timestamptz not null,
  mask bigint not null,
  n1 smallint not null generated always as (timeseries.minutes_in(mask)) stored,
  n5 smallint not null generated always as (timeseries.fives_in(mask)) stored,
  n15 smallint not null generated always as (timeseries.quarters_in(mask)) stored,
  energy float8,
  primary key (series_id, bucket)
);

create table timeseries.sample_day (
  series_id int not null,
  n int not null,
  bucket timestamptz not null,
  n1 smallint not null,
  n5 smallint not null,
  n15 smallint not null,
  n60 smallint not null,
  primary key (series_id, bucket)
);

-- By the local clock that each sample carries.
create table timeseries.sample_local_day (
  series_id int not null,
  date date not null,
  n int not null,
  sum float8 not null,
  min float8 not null,
  max float8 not null,
  primary key (series_id, date)
);

-- The triggers. One writer a user at a time is their condition: every store holds the user's lock. A statement
-- that both inserts and updates (an upsert) fires the update's trigger first, and that one computes its hours
-- anew with the inserted rows in them: it leaves word of those hours and days, so that the insert's trigger does
-- not add the same rows again. A series without a row in `series` is being erased and is ignored.
create function timeseries.hour_key(series_id int, bucket timestamptz) returns bigint
  language sql stable parallel safe return (series_id::bigint << 24) + (date_part('epoch', bucket) / 3600)::bigint;
create function timeseries.day_key(series_id int, midnight timestamptz) returns bigint
  language sql stable parallel safe return (series_id::bigint << 24) + (date_part('epoch', midnight) / 86400)::bigint;
create function timeseries.hour_of(at timestamptz) returns timestamptz
  language sql immutable parallel safe return date_bin('1 hour', at, timestamptz '1970-01-01 00:00:00+00');
create function timeseries.day_of(at timestamptz) returns timestamptz
  language sql immutable parallel safe return date_bin('1 day', at, timestamptz '1970-01-01 00:00:00+00');
-- The local day as the instant of its midnight in UTC: cheaper to group by than a date.
create function timeseries.local_midnight(at timestamptz, zone_offset_minutes smallint) returns timestamptz
  language sql stable parallel safe
  return date_bin('1 day', at + zone_offset_minutes * interval '1 minute', timestamptz '1970-01-01 00:00:00+00');

create function timeseries.sample_before_insert() returns trigger language plpgsql as $$
begin
  perform set_config('timeseries.hours_done', '{}', true), set_config('timeseries.days_done', '{}', true);
  return null;
end $$;

-- Days follow from their hours: at most 24 rows to read, and nothing to keep in step by hand.
create function timeseries.refresh_days(series_ids int[], days timestamptz[]) returns void language plpgsql
set enable_seqscan = off as $$
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

create function timeseries.sample_after_insert() returns trigger language plpgsql
set enable_seqscan = off as $$
declare
  hours_done bigint[] := coalesce(nullif(current_setting('timeseries.hours_done', true), ''), '{}');
  days_done bigint[] := coalesce(nullif(current_setting('timeseries.days_done', true), ''), '{}');
  series_ids int[];
  days timestamptz[];
begin
  with hours as (
    insert into timeseries.sample_hour as h (series_id, bucket, n, sum, min, max, last, last_ts, mask, energy)
    select g.series_id, g.bucket, g.n, g.sum, g.min, g.max,
      g.last, g.last_ts, g.mask, g.energy
    from (
      select r.series_id, timeseries.hour_of(r.ts) as bucket, count(*) as n, sum(r.value) as sum,
        min(r.value) as min, max(r.value) as max, max(r.ts) as last_ts,
        (array_agg(r.value order by r.ts desc))[1] as last,
        bit_or(1::bigint << floor(date_part('epoch', r.ts - timeseries.hour_of(r.ts)) / 60)::int) as mask,
        sum(case when t.bucket = 'leq' then power(10, r.value / 10) end) as energy
      from inserted r
      join timeseries.series s on s.id = r.series_id
      join timeseries.series_type t on t.id = s.type_id
      group by r.series_id, timeseries.hour_of(r.ts)
    ) g
    where timeseries.hour_key(g.series_id, g.bucket) <> all (hours_done)
    on conflict (series_id, bucket) do update
      set n = h.n + excluded.n, sum = h.sum + excluded.sum,
        min = least(h.min, excluded.min), max = greatest(h.max, excluded.max),
        last = case when excluded.last_ts >= h.last_ts then excluded.last else h.last end,
        last_ts = greatest(h.last_ts, excluded.last_ts),
        mask = h.mask | excluded.mask, energy = h.energy + excluded.energy
    returning h.series_id, h.bucket
  )
  select array_agg(d.series_id), array_agg(d.day) into series_ids, days
  from (select distinct series_id, timeseries.day_of(bucket) as day from hours) d;
  perform timeseries.refresh_days(series_ids, days);

  insert into timeseries.sample_local_day as d (series_id, date, n, sum, min, max)
  select g.series_id, (g.midnight at time zone 'UTC')::date, g.n, g.sum, g.min, g.max
  from (
    select r.series_id, timeseries.local_midnight(r.ts, r.zone_offset_minutes) as midnight, count(*) as n,
      sum(r.value) as sum, min(r.value) as min, max(r.value) as max
    from inserted r join timeseries.series s on s.id = r.series_id
    group by r.series_id, timeseries.local_midnight(r.ts, r.zone_offset_minutes)
  ) g
  where timeseries.day_key(g.series_id, g.midnight) <> all (days_done)
  on conflict (series_id, date) do update
    set n = d.n + excluded.n, sum = d.sum + excluded.sum,
      min = least(d.min, excluded.min), max = greatest(d.max, excluded.max);
  return null;
end $$;

-- What was changed or deleted is computed anew from the samples that are there: a subtraction could not give back
-- a minimum, and would leave rounding errors in an energy whose terms differ by ten powers of ten.
create function timeseries.recompute_hours(series_ids int[], hours timestamptz[]) returns void language plpgsql
set enable_seqscan = off as $$
declare
  first timestamptz := (select min(hour) from unnest(hours) hour);
  beyond timestamptz := (select max(hour) + interval '1 hour' from unnest(hours) hour);
  day_series_ids int[];
  days timestamptz[];
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

  select array_agg(d.series_id), array_agg(d.day) into day_series_ids, days
  from (select distinct t.series_id, timeseries.day_of(t.hour) as day from unnest(series_ids, hours) t (series_id, hour)) d;
  perform timeseries.refresh_days(day_series_ids, days);
end $$;

-- A local day lies within 18 hours of the UTC day of its date: no clock is further off.
create function timeseries.recompute_local_days(series_ids int[], midnights timestamptz[]) returns void language plpgsql
set enable_seqscan = off as $$
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

create function timeseries.sample_after_delete() returns trigger language plpgsql as $$
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

create trigger sample_before_insert before insert on timeseries.sample
  for each statement execute function timeseries.sample_before_insert();
create trigger sample_after_insert after insert on timeseries.sample
  referencing new table as inserted for each statement execute function timeseries.sample_after_insert();
create trigger sample_after_update after update on timeseries.sample
  referencing old table as before new table as after
  for each statement execute function timeseries.sample_after_update();
create trigger sample_after_delete after delete on timeseries.sample
  referencing old table as before for each statement execute function timeseries.sample_after_delete();

-- The version ledger: which version of a provider's item is stored. `hash` is null while parts are pending; then
-- `pending_hash` names the version that they belong to. `is_first` tells a new item from one that replaced another.
create table timeseries.item (
  user_id uuid not null,
  provider text not null,
  data_type text not null,
  key text not null,
  duration_seconds int not null,
  hash text,
  pending_hash text,
  is_first boolean not null,
  record_ids uuid[] not null,
  primary key (user_id, provider, data_type, key)
);

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
  duration_seconds int not null,
  moving_seconds int,
  calories_kcal float8,
  distance_meters float8,
  avg_heart_rate_bpm int,
  max_heart_rate_bpm int,
  avg_pace_sec_per_km float8,
  elevation_gain_meters float8,
  steps int,
  manual boolean,
  web_upload boolean,
  private boolean,
  is_parent boolean not null,
  parent_id text,
  duplicate_of uuid,
  deleted_at timestamptz,
  unique (user_id, provider, key)
);
create index workout_by_start on timeseries.workout (user_id, start_time, id);
create index workout_listed on timeseries.workout (user_id, start_time, id)
  where deleted_at is null and duplicate_of is null and not is_parent;
create index workout_listed_by_type on timeseries.workout (user_id, type, start_time, id)
  where deleted_at is null and duplicate_of is null and not is_parent;
create index workout_by_local_date on timeseries.workout (user_id, local_date)
  where deleted_at is null and duplicate_of is null and not is_parent;

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
  asleep_seconds int not null,
  deep_seconds int,
  light_seconds int,
  rem_seconds int,
  awake_seconds int,
  unmeasurable_seconds int,
  interruptions int,
  score int
);
create index sleep_session_by_start on timeseries.sleep_session (user_id, start_time, id);
create index sleep_session_by_date on timeseries.sleep_session (user_id, date);

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
  duration_seconds int not null,
  steps int,
  distance_meters float8,
  floors_climbed int,
  active_seconds int,
  moderate_seconds int,
  vigorous_seconds int,
  active_calories_kcal float8,
  basal_calories_kcal float8,
  avg_heart_rate_bpm int,
  min_heart_rate_bpm int,
  max_heart_rate_bpm int,
  pushes int,
  consumed_calories_kcal float8,
  unique (user_id, provider, key)
);
create index provider_day_by_date on timeseries.provider_day (user_id, date);

-- The latest clock that an item of a user told, for those that tell none.
create table timeseries.user_clock (
  user_id uuid primary key,
  zone_offset_minutes smallint not null,
  start_time timestamptz not null
);

-- Users who were erased: nothing is stored for them any more. `series_ids` are those whose samples still lie there.
create table timeseries.tombstone (
  user_id uuid primary key,
  series_ids int[] not null,
  erased_at timestamptz not null default now(),
  finished_at timestamptz
);
create index tombstone_unfinished on timeseries.tombstone (erased_at) where finished_at is null;
