import { isoTime } from '../../../../domain/time.ts';
import type { Queryable } from '../../../../mixins/database.ts';
import type { DayFigures, HourFigures } from '../interval-statistics.ts';

// Rows that are unchanged are not written, so that no change of a summary is recorded.
const hours = {
  name: 'timeseries-write-interval-hours',
  text: `
    with given as (
      select series_id, to_timestamp(ms / 1000) as bucket, n, sum, mask
      from unnest($3::int[], $4::float8[], $5::int[], $6::float8[], $7::bigint[]) t (series_id, ms, n, sum, mask)
    ), gone as (
      delete from timeseries.sample_hour h using unnest($1::int[]) s (id), unnest($2::timestamptz[]) b (bucket)
      where h.series_id = s.id and h.bucket = b.bucket
        and not exists (select from given g where (g.series_id, g.bucket) = (h.series_id, h.bucket))
    )
    insert into timeseries.sample_hour as h (series_id, bucket, n, sum, min, max, last, last_ts, mask)
    select series_id, bucket, n, sum, sum, sum, sum, bucket, mask from given
    on conflict (series_id, bucket) do update
      set n = excluded.n, sum = excluded.sum, min = excluded.min, max = excluded.max, last = excluded.last,
        mask = excluded.mask
      where (h.n, h.sum, h.mask) is distinct from (excluded.n, excluded.sum, excluded.mask)`,
};

// Hours in which nothing of the source counts are in no bucket.
const utcDays = {
  name: 'timeseries-write-interval-days',
  text: `
    with given as (
      select s.id as series_id, b.bucket, h.*
      from unnest($1::int[]) s (id) cross join unnest($2::timestamptz[]) b (bucket)
      cross join lateral (
        select sum(n) as n, coalesce(sum(n1), 0) as n1, coalesce(sum(n5), 0) as n5, coalesce(sum(n15), 0) as n15,
          count(*) filter (where mask <> 0) as n60
        from timeseries.sample_hour
        where series_id = s.id and bucket >= b.bucket and bucket < b.bucket + interval '24 hours'
      ) h
    ), gone as (
      delete from timeseries.sample_day d using given g
      where (d.series_id, d.bucket) = (g.series_id, g.bucket) and g.n is null
    )
    insert into timeseries.sample_day as d (series_id, bucket, n, n1, n5, n15, n60)
    select series_id, bucket, n, n1, n5, n15, n60 from given where n is not null
    on conflict (series_id, bucket) do update
      set n = excluded.n, n1 = excluded.n1, n5 = excluded.n5, n15 = excluded.n15, n60 = excluded.n60
      where (d.n, d.n1, d.n5, d.n15, d.n60) is distinct from
        (excluded.n, excluded.n1, excluded.n5, excluded.n15, excluded.n60)`,
};

const localDays = {
  name: 'timeseries-write-interval-local-days',
  text: `
    with given as (
      select * from unnest($3::int[], $4::int[], $5::int[], $6::float8[], $7::float8[]) t (series_id, day, n, sum, own)
    ), gone as (
      delete from timeseries.sample_local_day d using unnest($1::int[]) s (id), unnest($2::int[]) b (day)
      where d.series_id = s.id and d.date = date '1970-01-01' + b.day
        and not exists (select from given g where g.series_id = d.series_id and g.day = b.day)
    )
    insert into timeseries.sample_local_day as d (series_id, date, n, sum, min, max, own)
    select series_id, date '1970-01-01' + day, n, sum, sum, sum, own from given
    on conflict (series_id, date) do update
      set n = excluded.n, sum = excluded.sum, min = excluded.min, max = excluded.max, own = excluded.own
      where (d.n, d.sum, d.own) is distinct from (excluded.n, excluded.sum, excluded.own)`,
};

/** Replaces the hours of series by the given figures, and the counts of their UTC days. */
export async function writeHours(
  transaction: Queryable,
  seriesIds: readonly number[],
  hoursMs: readonly number[],
  figures: readonly HourFigures[],
): Promise<void> {
  await transaction.query(hours, [
    ...[seriesIds, hoursMs.map(isoTime), figures.map(({ series_id }) => series_id)],
    ...[figures.map(({ startMs }) => startMs), figures.map(({ n }) => n), figures.map(({ sum }) => sum)],
    figures.map(({ mask }) => BigInt.asIntN(64, mask).toString()),
  ]);
  const midnights = [...new Set(hoursMs.map((ms) => isoTime(ms).slice(0, 10)))];
  await transaction.query(utcDays, [seriesIds, midnights.map((date) => `${date}T00:00:00Z`)]);
}

/** Replaces local days of series by the given figures. */
export async function writeLocalDays(
  transaction: Queryable,
  seriesIds: readonly number[],
  days: readonly number[],
  figures: readonly DayFigures[],
): Promise<void> {
  await transaction.query(localDays, [
    ...[seriesIds, days, figures.map(({ series_id }) => series_id), figures.map(({ day }) => day)],
    ...[figures.map(({ n }) => n), figures.map(({ sum }) => sum), figures.map(({ own }) => own)],
  ]);
}
