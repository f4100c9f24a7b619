import type { Queryable, Row } from '../../../../mixins/database/database.ts';
import { isoMicroseconds } from '../../samples/scan-range.ts';
import type { ObservedScope } from '../observed-scope.ts';

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

const shared = (kind: string, end: string, zone: string) => `
  '${kind}' as kind, id, (extract(epoch from start_time) * 1000)::float8 as start_ms,
  (extract(epoch from ${end}) * 1000)::float8 as end_ms, provider, device, ${zone} as zone_offset_minutes`;
const reported = 'case when zone_reported then zone_offset_minutes end';
const json = (names: string) =>
  `jsonb_build_object(${names
    .split(' ')
    .map((name) => `'${name}', ${name}`)
    .join(', ')}) as columns`;

const records = (condition: (date: string) => string) => `
  select ${shared('sleep', 'end_time', reported)}, date::text as date,
    ${json('asleep_seconds deep_seconds light_seconds rem_seconds awake_seconds is_nap')}
  from timeseries.sleep_session where user_id = $1 and ${condition('date')} and $4
  union all
  select ${shared('workout', 'end_time', reported)}, local_date::text,
    ${json('type name duration_seconds calories_kcal avg_heart_rate_bpm max_heart_rate_bpm steps distance_meters elevation_gain_meters')}
  from timeseries.workout where user_id = $1 and ${condition('local_date')} and $5
    and deleted_at is null and duplicate_of is null and not is_parent
  union all
  select ${shared('day', "start_time + duration_seconds * interval '1 second'", 'zone_offset_minutes')}, date::text,
    ${json('steps distance_meters floors_climbed active_seconds moderate_seconds vigorous_seconds active_calories_kcal basal_calories_kcal avg_heart_rate_bpm min_heart_rate_bpm max_heart_rate_bpm pushes consumed_calories_kcal')}
  from timeseries.provider_day where user_id = $1 and ${condition('date')} and $6`;

const onDays = {
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
  return database.query<ObservedRecord>(onDays, [userId, first, last, ...wanted]);
}

const dateOfRecord = {
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
  const [row] = await database.query<{ date: string }>(dateOfRecord, [userId, id]);
  return row?.date ?? null;
}

const dateOfSample = {
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
  const [row] = await database.query<{ date: string }>(dateOfSample, [userId, seriesId, isoMicroseconds(at)]);
  return row?.date ?? null;
}

const sources = {
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
  return database.query(sources, [userId]);
}
