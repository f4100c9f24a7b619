-- The means of a night's samples, kept so that a page of nights reads no samples. Triggers mark a row as stale when a main
-- session of the night or a sample within it changes, whichever process changes it. A job computes stale rows under the
-- user's lock; until then a page computes those nights itself.
create table timeseries.night_mean (
  user_id uuid not null,
  date date not null,
  provider text not null,
  stale boolean not null default true,
  -- The first start and the last end of the main sessions when the means were computed.
  start_time timestamptz,
  end_time timestamptz,
  -- Null without samples.
  heart_rate float8,
  heart_rate_variability_sdnn float8,
  respiratory_rate float8,
  oxygen_saturation float8,
  primary key (user_id, date, provider)
);
create index night_mean_stale on timeseries.night_mean (user_id, date, provider) where stale;
-- Planner statistics would copy values into a table of their own; no statement filters by these columns.
alter table timeseries.night_mean alter column heart_rate set statistics 0,
  alter column heart_rate_variability_sdnn set statistics 0, alter column respiratory_rate set statistics 0,
  alter column oxygen_saturation set statistics 0;

-- Series types that a night has a mean of. The service fills it from the catalogue before it computes any means; a type that
-- is added later needs a migration that marks all nights.
alter table timeseries.series_type add column of_night boolean not null default false;

-- Whether the means of a night are kept: mark_nights looks for nights by their dates near the changed samples, and providers
-- choose dates. The means of other nights are computed whenever they are read.
create function timeseries.is_kept_night(date date, start_time timestamptz, end_time timestamptz) returns boolean
  language sql immutable parallel safe
  return end_time - start_time <= interval '2 days'
    and date between (start_time at time zone 'UTC')::date - 1 and (end_time at time zone 'UTC')::date + 1;

-- Marks the nights that contain a part of the given hours of series. It follows from is_kept_night that the date of such a
-- night is at most four days away. Its callers disable sequential scans.
create function timeseries.mark_nights(series_ids int[], firsts timestamptz[], lasts timestamptz[]) returns void
language plpgsql as $$
begin
  update timeseries.night_mean n set stale = true
  from unnest(series_ids, firsts, lasts) t (series_id, first, last)
  join timeseries.series s on s.id = t.series_id
  join timeseries.series_type y on y.id = s.type_id and y.of_night
  where n.user_id = s.user_id and n.provider = s.provider and not n.stale
    and n.date between (t.first at time zone 'UTC')::date - 4 and (t.last at time zone 'UTC')::date + 4
    and n.start_time < t.last + interval '1 hour' and n.end_time > t.first;
end $$;

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
create trigger mark_night_insert after insert on timeseries.sleep_session for each row
  when (not new.is_nap) execute function timeseries.mark_night();
create trigger mark_night_delete after delete on timeseries.sleep_session for each row
  when (not old.is_nap) execute function timeseries.mark_night();
create trigger mark_night_update after update on timeseries.sleep_session for each row
  when (not (old.is_nap and new.is_nap)
    and (old.user_id, old.provider, old.date, old.is_nap, old.device, old.start_time, old.end_time, old.asleep_seconds)
      is distinct from
      (new.user_id, new.provider, new.date, new.is_nap, new.device, new.start_time, new.end_time, new.asleep_seconds))
  execute function timeseries.mark_night();

-- As before, and marks nights.
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

-- As before, and marks nights.
create or replace function timeseries.recompute_hours(series_ids int[], hours timestamptz[]) returns void language plpgsql
set enable_seqscan = off as $$
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

-- Nights that are stored already are marked in the background, user by user.
insert into jobs.job (kind, key, payload)
select 'timeseries.night_marking', '', '{"after": null}' where exists (select from timeseries.sleep_session);
