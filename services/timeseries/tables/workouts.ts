import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { WorkoutParts } from '../rules/merge-workouts.ts';
import { columnsOf } from './arrays.ts';

/** A workout that may be a duplicate of one from another provider or device. */
export interface DuplicateCandidate {
  readonly id: string;
  readonly provider: string;
  /** The provider's id of the activity. An archive of a provider has the same id. Of a file alone, a hash of its content. */
  readonly key: string;
  readonly device: string;
  readonly type: WorkoutType;
  readonly local_date: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly manual: boolean | null;
  /** The number of optional fields with a value. */
  readonly filled: number;
  readonly duplicate_of: string | null;
  readonly counted_with: string | null;
  readonly counted_on: string | null;
}

const overlappingWorkoutsStatement = {
  name: 'timeseries-select-overlapping-workouts',
  text: `
    select distinct w.id, w.provider, w.key, w.device, w.type, w.local_date::text, w.manual, w.duplicate_of, w.counted_with,
      w.counted_on::text,
      (extract(epoch from w.start_time) * 1000)::float8 as start_ms,
      (extract(epoch from w.end_time) * 1000)::float8 as end_ms,
      num_nonnulls(w.calories_kcal, w.distance_meters, w.avg_heart_rate_bpm, w.max_heart_rate_bpm,
        w.avg_pace_sec_per_km, w.elevation_gain_meters) as filled
    from unnest($2::float8[], $3::float8[]) t (start_ms, end_ms)
    join timeseries.workout w
      on w.user_id = $1 and w.start_time > to_timestamp(t.start_ms / 1000) - interval '7 days'
        and w.start_time <= to_timestamp(t.end_ms / 1000) and w.end_time >= to_timestamp(t.start_ms / 1000)
    where w.deleted_at is null and not w.is_parent`,
};

/**
 * Workouts of all providers that overlap one of the spans. Starts within seven days bound the index scan: a longer
 * workout has no duplicates.
 */
export function selectOverlappingWorkouts(
  transaction: Queryable,
  userId: string,
  spans: readonly { start_ms: number; end_ms: number }[],
): Promise<DuplicateCandidate[]> {
  const values = [userId, ...columnsOf(spans, 'start_ms', 'end_ms')];
  return transaction.query<DuplicateCandidate>(overlappingWorkoutsStatement, values);
}

/** The span and the id of a stored workout, and its fields by data type. */
interface WorkoutSpanRow {
  id: string;
  start_ms: number;
  end_ms: number;
  parts: WorkoutParts;
  cropped: boolean;
  is_deleted: boolean;
}

const workoutSpanStatement = {
  name: 'timeseries-select-workout-span',
  text: `
    select w.id, (extract(epoch from w.start_time) * 1000)::float8 as start_ms,
      (extract(epoch from w.end_time) * 1000)::float8 as end_ms, w.parts, w.cropped,
      w.deleted_at is not null as is_deleted
    from timeseries.workout w where w.user_id = $1 and w.provider = $2 and w.key = $3`,
};

/** The stored workout of a provider's key. */
export async function selectWorkoutSpan(
  transaction: Queryable,
  userId: string,
  provider: string,
  key: string,
): Promise<WorkoutSpanRow | undefined> {
  const [row] = await transaction.query<WorkoutSpanRow>(workoutSpanStatement, [userId, provider, key]);
  return row;
}

const updateDuplicatesStatement = {
  name: 'timeseries-update-duplicates',
  text: `
    update timeseries.workout w
    set duplicate_of = t.duplicate_of, counted_with = t.counted_with, counted_on = t.counted_on
    from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::date[]) t (id, duplicate_of, counted_with, counted_on)
    where w.user_id = $1 and w.id = t.id`,
};

/** The listed duplicate of a workout, and how the workout counts in the sums of a day. */
export interface DuplicateChange {
  readonly id: string;
  readonly duplicate_of: string | null;
  readonly counted_with: string | null;
  readonly counted_on: string | null;
}

/** Writes which workouts are listed and how they count. */
export async function updateDuplicates(
  transaction: Queryable,
  userId: string,
  changes: readonly DuplicateChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const columns = columnsOf(changes, 'id', 'duplicate_of', 'counted_with', 'counted_on');
  await transaction.query(updateDuplicatesStatement, [userId, ...columns]);
}

// The remaining row records the deletion and its time. An activity that returns gets the same id.
const wipeStatement: Statement = {
  name: 'timeseries-wipe-workout',
  text: `
    update timeseries.workout
    set deleted_at = now(), cropped = false, duplicate_of = null, counted_with = null,
      counted_on = null, device = 'unknown', type = 'other', raw_type = '', name = '', start_time = now(), end_time = now(), zone_offset_minutes = 0,
      local_date = (now() at time zone 'UTC')::date, duration_seconds = 0, moving_seconds = null, calories_kcal = null,
      distance_meters = null, avg_heart_rate_bpm = null, max_heart_rate_bpm = null, avg_pace_sec_per_km = null,
      elevation_gain_meters = null, steps = null, manual = null, web_upload = null, private = null,
      is_parent = false, parent_id = null, parts = '{}'
    where user_id = $1 and id = $2`,
};

/** Marks a workout as deleted and clears its health data. */
export async function wipeWorkout(transaction: Queryable, userId: string, id: string): Promise<void> {
  await transaction.query(wipeStatement, [userId, id]);
}

/** Deletes a workout's row. */
export async function removeWorkout(transaction: Queryable, userId: string, id: string): Promise<void> {
  await transaction.query('delete from timeseries.workout where user_id = $1 and id = $2', [userId, id]);
}

const forgetVersionsStatement: Statement = {
  name: 'timeseries-forget-versions',
  text: `
    update timeseries.item set hash = null, pending_hash = null
    where user_id = $1 and provider = $2 and data_type = any($3) and key = $4`,
};

/** Deletes the stored versions of a key, so that the same content is stored again. */
export async function forgetVersions(
  transaction: Queryable,
  userId: string,
  provider: string,
  dataTypes: readonly string[],
  key: string,
): Promise<void> {
  await transaction.query(forgetVersionsStatement, [userId, provider, dataTypes, key]);
}

/** A span of time and the source of its heart rate. */
interface HeartRateSpan {
  readonly provider: string;
  readonly device: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

/** The heart rate of the span with this index, counted from 0. */
interface HeartRateRow {
  index: number;
  average: number;
  highest: number;
}

// Uses the device of the span, otherwise the device with the most samples. Devices are never mixed. 50 workouts of an
// hour at one sample a second take 12 ms.
const heartRatesStatement = {
  name: 'timeseries-select-heart-rates',
  text: `
    select (span.number - 1)::int as index, best.average, best.highest
    from unnest($2::text[], $3::text[], $4::float8[], $5::float8[])
      with ordinality as span (provider, device, start_ms, end_ms, number)
    cross join lateral (
      select avg(sample.value) as average, max(sample.value) as highest
      from timeseries.series
      join timeseries.sample on sample.series_id = series.id
        and sample.ts >= to_timestamp(span.start_ms / 1000) and sample.ts < to_timestamp(span.end_ms / 1000)
      where series.user_id = $1 and series.type_id = ${seriesOf('heart_rate').id} and series.provider = span.provider
      group by series.id, series.device
      order by series.device = span.device desc, count(*) desc, series.id
      limit 1
    ) best`,
};

/** Average and maximum heart rate of each span with samples of its own provider. */
export function selectHeartRates(
  database: Queryable,
  userId: string,
  spans: readonly HeartRateSpan[],
): Promise<HeartRateRow[]> {
  const values = [userId, ...columnsOf(spans, 'provider', 'device', 'start_ms', 'end_ms')];
  return database.query<HeartRateRow>(heartRatesStatement, values);
}

/** An activity that was sent again with a shorter span. */
interface CroppedRow {
  readonly id: string;
  readonly key: string;
  readonly parts: WorkoutParts;
}

const croppedStatement = {
  name: 'timeseries-select-cropped-workouts',
  text: `
    select id, key, parts from timeseries.workout
    where user_id = $1 and provider = $2 and key = any($3) and cropped`,
};

/** The cropped ones of the named activities. */
export function selectCropped(
  transaction: Queryable,
  userId: string,
  provider: string,
  keys: readonly string[],
): Promise<CroppedRow[]> {
  return transaction.query<CroppedRow>(croppedStatement, [userId, provider, keys]);
}

/** Replaces the fields of a workout by data type. */
export async function updateParts(
  transaction: Queryable,
  { user_id, id }: { readonly user_id: string; readonly id: string },
  parts: WorkoutParts,
): Promise<void> {
  const text = 'update timeseries.workout set parts = $3 where user_id = $1 and id = $2';
  await transaction.query(text, [user_id, id, JSON.stringify(parts)]);
}

const workoutKeysStatement: Statement = {
  name: 'timeseries-select-workout-keys',
  text: `
    select key, (extract(epoch from start_time) * 1000)::float8 as start_ms from timeseries.workout
    where user_id = $1 and provider = $2 and deleted_at is null
      and start_time >= to_timestamp($3::float8 / 1000) and start_time < to_timestamp($4::float8 / 1000)
    order by start_time, id limit $5`,
};

/** The keys of the workouts that start in a span, oldest first. Duplicates of other providers' workouts are included. */
export function selectWorkoutKeys(
  database: Queryable,
  { user_id, provider, start_ms, end_ms, limit }: ParamsOf<typeof timeseries, 'workoutKeys'>,
): Promise<{ key: string; start_ms: number }[]> {
  return database.query(workoutKeysStatement, [user_id, provider, start_ms, end_ms, limit]);
}
