import type { PressureReadings } from '../../../domain/provider/facts.ts';
import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { isoTime } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** The newest value of a series. */
export interface ReadingRow {
  type_id: number;
  provider: string;
  device: string;
  value: number;
  at_ms: number;
}

/** The newest value of a series, and the aggregate of its samples over a period of local days. */
export interface BodySeriesRow extends ReadingRow {
  n: number;
  mean: number | null;
}

// The newest value is in the newest hour of the statistics. Samples, with a chunk per month, are not read.
const bodySeriesStatement = {
  name: 'timeseries-select-body-series',
  text: `
    select s.type_id, s.provider, s.device, h.last as value, (extract(epoch from h.last_ts) * 1000)::float8 as at_ms,
      coalesce(d.n, 0)::float8 as n, d.total / d.n as mean
    from timeseries.series s
    cross join lateral (
      select last, last_ts from timeseries.sample_hour where series_id = s.id order by bucket desc limit 1
    ) h
    cross join lateral (
      select sum(n) as n, sum(sum) as total from timeseries.sample_local_day
      where series_id = s.id and date >= $3 and date < $4
    ) d
    where s.user_id = $1 and s.type_id = any($2)`,
};

/** A user's series of the given types. The period is the local days [firstDate, endDate). */
export function selectBodySeries(
  database: Queryable,
  userId: string,
  typeIds: readonly number[],
  { firstDate, endDate }: { firstDate: string; endDate: string },
): Promise<BodySeriesRow[]> {
  return database.query<BodySeriesRow>(bodySeriesStatement, [userId, typeIds, firstDate, endDate]);
}

const [systolic, diastolic] = ['blood_pressure_systolic', 'blood_pressure_diastolic'] as const;

/** The series types of a reading. */
export const pressureTypes: readonly SeriesType[] = [systolic, diastolic];

// A reading is two samples of one device at one instant. A single one is not a reading.
const pressuresStatement = {
  name: 'timeseries-select-pressures',
  text: `
    select s.provider, (array_agg(s.device order by x.ts desc, s.device))[1] as device,
      (extract(epoch from max(x.ts)) * 1000)::float8 as at_ms, count(*)::int as reading_count,
      avg(x.systolic) as avg_systolic, avg(x.diastolic) as avg_diastolic, max(x.systolic) as max_systolic,
      max(x.diastolic) as max_diastolic, min(x.systolic) as min_systolic, min(x.diastolic) as min_diastolic
    from timeseries.series s
    join timeseries.series d on d.user_id = s.user_id and d.type_id = ${seriesOf(diastolic).id}
      and d.provider = s.provider and d.device = s.device
    cross join lateral (
      select a.ts, a.value as systolic, b.value as diastolic
      from timeseries.sample a join timeseries.sample b on b.series_id = d.id and b.ts = a.ts
      where a.series_id = s.id and a.ts >= $2 and a.ts <= $3 and b.ts >= $2 and b.ts <= $3
    ) x
    where s.user_id = $1 and s.type_id = ${seriesOf(systolic).id}
    group by s.provider`,
};

/** Blood pressures in [startMs, endMs], one row per provider. */
export function selectPressures(
  database: Queryable,
  userId: string,
  { startMs, endMs }: { startMs: number; endMs: number },
): Promise<PressureReadings[]> {
  const window = [isoTime(startMs), isoTime(endMs)];
  return database.query<PressureReadings>(pressuresStatement, [userId, ...window]);
}

const readingsStatement = {
  name: 'timeseries-select-readings',
  text: `
    select s.type_id, s.provider, s.device, x.value, (extract(epoch from x.ts) * 1000)::float8 as at_ms
    from timeseries.series s
    cross join lateral (
      select ts, value from timeseries.sample
      where series_id = s.id and ts >= $3 and ts <= $4 order by ts desc limit 1
    ) x
    where s.user_id = $1 and s.type_id = any($2)`,
};

/**
 * The newest reading of each series of the given types in [startMs, endMs]. The end is included because it is the
 * current time.
 */
export function selectReadings(
  database: Queryable,
  userId: string,
  typeIds: readonly number[],
  { startMs, endMs }: { startMs: number; endMs: number },
): Promise<ReadingRow[]> {
  const window = [isoTime(startMs), isoTime(endMs)];
  return database.query<ReadingRow>(readingsStatement, [userId, typeIds, ...window]);
}
