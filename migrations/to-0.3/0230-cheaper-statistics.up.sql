-- Whether a series has a sample between its first and its last instant, ends included. New samples are inserted without a check of
-- each, which halves the cost of a row.
create function timeseries.has_samples(series_ids int[], firsts timestamptz[], lasts timestamptz[]) returns boolean
language plpgsql stable set enable_seqscan = off as $$
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

-- As before, with one pass over the inserted rows: they are grouped by hour and local day, and both tables are filled from these
-- groups. Instants are numbers of seconds there, because arithmetic with intervals was most of the cost. The plan is made for the
-- first call of a connection, which may insert a single row: no join of its rows depends on an estimate of their number.
create or replace function timeseries.sample_after_insert() returns trigger language plpgsql
set enable_seqscan = off as $$
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
