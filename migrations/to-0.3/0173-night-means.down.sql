drop trigger mark_night_insert on timeseries.sleep_session;
drop trigger mark_night_delete on timeseries.sleep_session;
drop trigger mark_night_update on timeseries.sleep_session;

create or replace function timeseries.sample_after_insert() returns trigger language plpgsql
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

create or replace function timeseries.recompute_hours(series_ids int[], hours timestamptz[]) returns void language plpgsql
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

drop function timeseries.mark_night();
drop function timeseries.mark_nights(int[], timestamptz[], timestamptz[]);
drop function timeseries.is_kept_night(date, timestamptz, timestamptz);
drop table timeseries.night_mean;
alter table timeseries.series_type drop column of_night;
delete from jobs.job where kind in ('timeseries.night_marking', 'timeseries.night_means');
