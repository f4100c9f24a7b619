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
  select array_agg(d.series_id), array_agg(d.day), array_agg(d.first), array_agg(d.last)
  into series_ids, days, firsts, lasts
  from (
    select series_id, timeseries.day_of(bucket) as day, min(bucket) as first, max(bucket) as last
    from hours group by series_id, timeseries.day_of(bucket)
  ) d;
  perform timeseries.refresh_days(series_ids, days);
  perform timeseries.mark_nights(series_ids, firsts, lasts);

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

drop function timeseries.has_samples(int[], timestamptz[], timestamptz[]);
