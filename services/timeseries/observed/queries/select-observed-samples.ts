import type { Queryable } from '../../../../mixins/database/database.ts';
import type { ObservedScope } from '../observed-scope.ts';

/** The number of samples or intervals of a series on a local day. */
export interface CountRow {
  series_id: number;
  date: string;
  n: number;
}

// The date of an interval follows from its own offset, because the statistics count only what counts of several sources.
const counts = {
  name: 'timeseries-count-observed',
  text: `
    select d.series_id, d.date::text as date, d.n
    from timeseries.series s join timeseries.sample_local_day d on d.series_id = s.id and d.date between $2::date and $3::date
    where s.user_id = $1 and s.id = any($4)
    union all
    select series_id, date::text, n from (
      select v.series_id, (timeseries.local_midnight(v.start_time, v.zone_offset_minutes) at time zone 'UTC')::date as date, count(*)::int as n
      from timeseries.series s
      join timeseries.interval_value v on v.series_id = s.id
        and v.start_time >= $2::date - interval '18 hours' and v.start_time < $3::date + interval '42 hours'
      where s.user_id = $1 and s.id = any($5)
      group by 1, 2) i
    where date between $2::date and $3::date`,
};

/** How many samples each series has on the local days from first to last. */
export function countObserved(
  database: Queryable,
  { userId, samples, intervals }: ObservedScope,
  first: string,
  last: string,
): Promise<CountRow[]> {
  if (samples.length + intervals.length === 0) return Promise.resolve([]);
  return database.query<CountRow>(counts, [userId, first, last, samples, intervals]);
}

/** The samples or intervals of a series on a local day, oldest first. Times are microseconds since 1970. */
export interface DaySamples {
  series_id: number;
  date: string;
  at: number[];
  /** The ends of intervals; null for samples. */
  ends: number[] | null;
  values: number[];
  zones: number[];
}

const columns = (table: string, time: string, ends: string, key: string) => `
  select series_id, date::text as date, array_agg(at order by at${key}) as at, ${ends} as ends,
    array_agg(value order by at${key}) as values, array_agg(zone_offset_minutes order by at${key}) as zones
  from (
    select x.*, (extract(epoch from x.${time}) * 1000000)::float8 as at,
      (timeseries.local_midnight(x.${time}, x.zone_offset_minutes) at time zone 'UTC')::date as date
    from timeseries.series s join ${table} x on x.series_id = s.id and x.${time} >= $4 and x.${time} < $5
    where s.user_id = $1 and s.id = any($6)) x
  where date between $2::date and $3::date
  group by 1, 2`;

const samplesOf = {
  name: 'timeseries-select-observed-samples',
  text: columns('timeseries.sample', 'ts', 'null::float8[]', ''),
};
const intervalsOf = {
  name: 'timeseries-select-observed-intervals',
  text: columns(
    'timeseries.interval_value',
    'start_time',
    'array_agg(at + duration_ms * 1000.0 order by at, key)::float8[]',
    ', key',
  ),
};

/** The samples of series on the local days from first to last. */
export async function selectObservedSamples(
  database: Queryable,
  { userId, samples, intervals }: ObservedScope,
  first: string,
  last: string,
): Promise<DaySamples[]> {
  const hours = (date: string, count: number) =>
    new Date(Date.parse(`${date}T00:00:00Z`) + count * 3_600_000).toISOString();
  const range = [userId, first, last, hours(first, -18), hours(last, 42)];
  const read = (statement: typeof samplesOf, ids: readonly number[]) =>
    ids.length === 0 ? [] : database.query<DaySamples>(statement, [...range, ids]);
  return [...(await read(samplesOf, samples)), ...(await read(intervalsOf, intervals))];
}
