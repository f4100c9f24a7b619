import { dateToMs, dayMs, hourMs, isoTime, localDate } from '../../../../domain/time/time.ts';
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

interface AggregatedRow {
  series_id: number;
  day: number;
  at: string;
  ends: string | null;
  values: string;
  zones: string;
}

// Numbers are sent as texts with commas: 1,440 samples of a day take 1 ms less than as arrays. All texts have one order, so that
// one sort serves them.
const columns = (table: string, time: string, ends: string | null, key: string) => {
  const text = (value: string) => `string_agg((${value})::text, ',' order by at${key})`;
  return `
  select series_id, day, ${text('at')} as at, ${ends === null ? 'null' : text(ends)} as ends, ${text('value')} as values,
    ${text('zone_offset_minutes')} as zones
  from (
    select x.*, round(date_part('epoch', x.${time}) * 1000000)::int8 as at,
      floor((date_part('epoch', x.${time}) + 60 * x.zone_offset_minutes) / 86400)::int as day
    from timeseries.series s join ${table} x on x.series_id = s.id and x.${time} >= $4 and x.${time} < $5
    where s.user_id = $1 and s.id = any($6)) x
  where day between $2 and $3
  group by 1, 2`;
};

const samplesOf = {
  name: 'timeseries-select-observed-samples',
  text: columns('timeseries.sample', 'ts', null, ''),
};
const intervalsOf = {
  name: 'timeseries-select-observed-intervals',
  text: columns('timeseries.interval_value', 'start_time', 'at + duration_ms::int8 * 1000', ', key'),
};

/** The samples of series on the local days from first to last. */
export async function selectObservedSamples(
  database: Queryable,
  { userId, samples, intervals }: ObservedScope,
  first: string,
  last: string,
): Promise<DaySamples[]> {
  const bounds = [isoTime(dateToMs(first) - 18 * hourMs), isoTime(dateToMs(last) + 42 * hourMs)];
  const range = [userId, dateToMs(first) / dayMs, dateToMs(last) / dayMs, ...bounds];
  const read = async (statement: typeof samplesOf, ids: readonly number[]) =>
    ids.length === 0 ? [] : database.query<AggregatedRow>(statement, [...range, ids]);
  return [...(await read(samplesOf, samples)), ...(await read(intervalsOf, intervals))].map(toSamples);
}

const numbersIn = (text: string) => text.split(',').map(Number);

function toSamples({ series_id, day, at, ends, values, zones }: AggregatedRow): DaySamples {
  return {
    ...{ series_id, date: localDate(day * dayMs, 0) },
    ...{ at: numbersIn(at), ends: ends === null ? null : numbersIn(ends) },
    ...{ values: numbersIn(values), zones: numbersIn(zones) },
  };
}
