import {
  dayMeasures,
  keysOf,
  type ObservedName,
  pressureTypes,
  workoutMeasures,
} from '../../../domain/fhir/observed.ts';
import { isSeriesType, seriesOf } from '../../../domain/records/series.ts';
import { dateToMs, dayMs, hourMs, isoTime, localDate } from '../../../domain/time/time.ts';
import type { Queryable, Row } from '../../../mixins/database/database.ts';
import { isoMicroseconds } from '../rules/scan-range.ts';
import { type SeriesRow, selectSeries } from './series.ts';

/** What is read of a user: the series by how they are stored, and the kinds of records. */
export interface ObservedScope {
  readonly userId: string;
  readonly series: ReadonlyMap<number, SeriesRow>;
  /** The ids of series of samples, and those of series of intervals. */
  readonly samples: readonly number[];
  readonly intervals: readonly number[];
  readonly sleep: boolean;
  readonly workouts: readonly (keyof typeof workoutMeasures | 'workout' | 'workout_activity')[];
  readonly days: readonly (keyof typeof dayMeasures)[];
}

/** The scope of the names, or of all. */
export async function observedScope(
  database: Queryable,
  userId: string,
  names: readonly ObservedName[] | null,
): Promise<ObservedScope> {
  const isWanted = (name: ObservedName) => names === null || names.includes(name);
  const typeIds = names === null ? null : names.flatMap(typesOf);
  const rows = typeIds?.length === 0 ? [] : await selectSeries(database, userId, typeIds);
  return {
    userId,
    series: new Map(rows.map((row) => [row.id, row])),
    samples: rows.filter((row) => !row.is_interval).map(({ id }) => id),
    intervals: rows.filter((row) => row.is_interval).map(({ id }) => id),
    sleep: isWanted('sleep'),
    workouts: (['workout', 'workout_activity', ...keysOf(workoutMeasures)] as const).filter(isWanted),
    days: keysOf(dayMeasures).filter(isWanted),
  };
}

function typesOf(name: ObservedName): number[] {
  if (name === 'blood_pressure') return pressureTypes.map((type) => seriesOf(type).id);
  return isSeriesType(name) ? [seriesOf(name).id] : [];
}

const nextDateStatement = (order: 'asc' | 'desc') => {
  const [sign, pick, bound] =
    order === 'asc'
      ? ['>=', 'min', `start_time >= $2::date - interval '18 hours'`]
      : ['<=', 'max', `start_time < $2::date + interval '42 hours'`];
  const first = (table: string, column: string) => `
    select (select ${column} from ${table} where user_id = $1 and ${column} ${sign} $2::date order by ${column} ${order} limit 1)`;
  const text = `
    select ${pick}(found.date)::text as date from (
      select (select date from timeseries.sample_local_day where series_id = s.id and date ${sign} $2::date
        order by date ${order} limit 1) as date
      from timeseries.series s where s.user_id = $1 and s.id = any($3)
      union all
      select (select ${order === 'asc' ? 'greatest' : 'least'}($2::date, (timeseries.local_midnight(start_time, zone_offset_minutes) at time zone 'UTC')::date)
        from timeseries.interval_value where series_id = s.id and ${bound} order by start_time ${order} limit 1)
      from timeseries.series s where s.user_id = $1 and s.id = any($4)
      union all select * from (${first('timeseries.sleep_session', 'date')}) x where $5
      union all select * from (${first('timeseries.workout', 'local_date')}) x where $6
      union all select * from (${first('timeseries.provider_day', 'date')}) x where $7) found`;
  return { name: `timeseries-select-observed-date-${order}`, text };
};

const nextDateStatements = { asc: nextDateStatement('asc'), desc: nextDateStatement('desc') };

/** The next local day, from a day on, that may have data; null if there is none. */
export async function selectObservedDate(
  database: Queryable,
  { userId, samples, intervals, sleep, workouts, days }: ObservedScope,
  from: string,
  order: 'asc' | 'desc',
): Promise<string | null> {
  const values = [userId, from, samples, intervals, sleep, workouts.length > 0, days.length > 0];
  const [row] = await database.query<{ date: string | null }>(nextDateStatements[order], values);
  return row?.date ?? null;
}

/** A stored record with the columns that Observations are made of. */
export interface ObservedRecord extends Row {
  kind: 'sleep' | 'workout' | 'day';
  id: string;
  date: string;
  start_ms: number;
  end_ms: number;
  provider: string;
  device: string;
  zone_offset_minutes: number | null;
  columns: Record<string, number | string | boolean | null>;
}

const recordColumns = (kind: string, end: string, zone: string) => `
  '${kind}' as kind, id, (extract(epoch from start_time) * 1000)::float8 as start_ms,
  (extract(epoch from ${end}) * 1000)::float8 as end_ms, provider, device, ${zone} as zone_offset_minutes`;
const reported = 'case when zone_reported then zone_offset_minutes end';
const json = (names: string) =>
  `jsonb_build_object(${names
    .split(' ')
    .map((name) => `'${name}', ${name}`)
    .join(', ')}) as columns`;

const records = (condition: (date: string) => string) => `
  select ${recordColumns('sleep', 'end_time', reported)}, date::text as date,
    ${json('asleep_seconds deep_seconds light_seconds rem_seconds awake_seconds is_nap')}
  from timeseries.sleep_session where user_id = $1 and ${condition('date')} and $4
  union all
  select ${recordColumns('workout', 'end_time', reported)}, local_date::text,
    ${json('type name duration_seconds calories_kcal avg_heart_rate_bpm max_heart_rate_bpm steps distance_meters elevation_gain_meters')}
  from timeseries.workout where user_id = $1 and ${condition('local_date')} and $5
    and deleted_at is null and duplicate_of is null and not is_parent
  union all
  select ${recordColumns('day', "start_time + duration_seconds * interval '1 second'", 'zone_offset_minutes')}, date::text,
    ${json('steps distance_meters floors_climbed active_seconds moderate_seconds vigorous_seconds active_calories_kcal basal_calories_kcal avg_heart_rate_bpm min_heart_rate_bpm max_heart_rate_bpm pushes consumed_calories_kcal')}
  from timeseries.provider_day where user_id = $1 and ${condition('date')} and $6`;

const recordsStatement = {
  name: 'timeseries-select-observed-records',
  text: records((date) => `${date} between $2::date and $3::date`),
};

/** The records of the local days from first to last. */
export function selectObservedRecords(
  database: Queryable,
  { userId, sleep, workouts, days }: ObservedScope,
  first: string,
  last: string,
): Promise<ObservedRecord[]> {
  const wanted = [sleep, workouts.length > 0, days.length > 0];
  if (!wanted.includes(true)) return Promise.resolve([]);
  return database.query<ObservedRecord>(recordsStatement, [userId, first, last, ...wanted]);
}

const dateOfRecordStatement = {
  name: 'timeseries-select-date-of-observed',
  text: `
    select date::text as date from timeseries.sleep_session where user_id = $1 and id = $2
    union all select local_date::text from timeseries.workout where user_id = $1 and id = $2
    union all select date::text from timeseries.provider_day where user_id = $1 and id = $2
    limit 1`,
};

/** The local day of a record; null if the user has none with this id. */
export async function selectDateOfRecord(
  database: Queryable,
  userId: string,
  id: string,
): Promise<string | null> {
  const [row] = await database.query<{ date: string }>(dateOfRecordStatement, [userId, id]);
  return row?.date ?? null;
}

const dateOfSampleStatement = {
  name: 'timeseries-select-date-of-observed-sample',
  text: `
    select (timeseries.local_midnight(ts, zone_offset_minutes) at time zone 'UTC')::date::text as date
    from timeseries.series s join timeseries.sample x on x.series_id = s.id and x.ts = $3::timestamptz
    where s.user_id = $1 and s.id = $2
    union all
    select (timeseries.local_midnight(start_time, zone_offset_minutes) at time zone 'UTC')::date::text
    from timeseries.series s
    join timeseries.interval_value x on x.series_id = s.id and x.start_time = $3::timestamptz
    where s.user_id = $1 and s.id = $2
    limit 1`,
};

/** The local day of the sample of a series at an instant in microseconds; null if there is none. */
export async function selectDateOfSample(
  database: Queryable,
  userId: string,
  seriesId: number,
  at: number,
): Promise<string | null> {
  const [row] = await database.query<{ date: string }>(dateOfSampleStatement, [
    userId,
    seriesId,
    isoMicroseconds(at),
  ]);
  return row?.date ?? null;
}

const sourcesStatement = {
  name: 'timeseries-select-observed-sources',
  text: `
    select distinct provider, device from timeseries.series where user_id = $1
    union select distinct provider, device from timeseries.sleep_session where user_id = $1
    union select distinct provider, device from timeseries.workout where user_id = $1 and deleted_at is null
    union select distinct provider, device from timeseries.provider_day where user_id = $1`,
};

/** The providers and devices, by their stored names, that a user has data of. */
export function selectObservedSources(
  database: Queryable,
  userId: string,
): Promise<{ provider: string; device: string }[]> {
  return database.query(sourcesStatement, [userId]);
}

/** The number of samples or intervals of a series on a local day. */
interface CountRow {
  series_id: number;
  date: string;
  n: number;
}

// The date of an interval follows from its own offset, because the statistics count only what counts of several sources.
const countsStatement = {
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
  return database.query<CountRow>(countsStatement, [userId, first, last, samples, intervals]);
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
const daySamplesText = (table: string, time: string, ends: string | null, key: string) => {
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

const samplesStatement = {
  name: 'timeseries-select-observed-samples',
  text: daySamplesText('timeseries.sample', 'ts', null, ''),
};
const intervalsStatement = {
  name: 'timeseries-select-observed-intervals',
  text: daySamplesText('timeseries.interval_value', 'start_time', 'at + duration_ms::int8 * 1000', ', key'),
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
  const read = async (statement: typeof samplesStatement, ids: readonly number[]) =>
    ids.length === 0 ? [] : database.query<AggregatedRow>(statement, [...range, ids]);
  return [...(await read(samplesStatement, samples)), ...(await read(intervalsStatement, intervals))].map(
    toSamples,
  );
}

const numbersIn = (text: string) => text.split(',').map(Number);

function toSamples({ series_id, day, at, ends, values, zones }: AggregatedRow): DaySamples {
  return {
    series_id,
    date: localDate(day * dayMs, 0),
    at: numbersIn(at),
    ends: ends === null ? null : numbersIn(ends),
    values: numbersIn(values),
    zones: numbersIn(zones),
  };
}
