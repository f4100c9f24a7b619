import { z } from 'zod';
import { extraOf } from '../../../domain/provider/extra-fields.ts';
import { bareItem, type StoreItem, type WorkoutRecord } from '../../../domain/records/records.ts';
import { hasExtras, sentDetails, type WorkoutExtras } from '../../../domain/workouts/details.ts';
import { fields as tables } from '../fields.ts';
import {
  beats,
  count,
  epochSeconds,
  id,
  isStorable,
  itemsOf,
  measure,
  type Normalised,
  offsetAt,
  type Skip,
  text,
  withHash,
  withSent,
} from './fields.ts';
import { categoryOf, noActivity } from './workout-type.ts';

const Data = z.object({
  calories: measure(0, 100_000),
  distance: measure(0, 10_000_000),
  steps: count(0, 1_000_000),
  hr_average: beats,
  hr_min: beats,
  hr_max: beats,
  pool_laps: count(0, 100_000),
  strokes: count(0, 1_000_000),
  pause_duration: count(0, 2_678_400),
  pool_length: measure(0, 1000),
});

const Workout = z.object({
  id,
  category: z.int(),
  attrib: z.int().nullable().default(null).catch(null),
  timezone: text(100),
  model: text(100),
  startdate: epochSeconds,
  enddate: epochSeconds,
  data: Data.catch(Data.parse({})).default(Data.parse({})),
  /** The data as sent. */
  sent: z.unknown(),
});

type Workout = z.output<typeof Workout>;

const enteredByUser = 2;
const longestSeconds = 31 * 86_400;

/** Recorded and detected workouts. */
export function normaliseWorkouts(records: readonly unknown[], nowMs: number): Normalised {
  return itemsOf(records, (record, skip) => itemOf(record, nowMs, skip));
}

function itemOf(record: unknown, nowMs: number, skip: Skip): StoreItem | null {
  const fields = Workout.safeParse(withSent(record)).data;
  const reason = fields === undefined ? 'unreadable' : refusalOf(fields, nowMs);
  if (fields === undefined || reason !== null) {
    skip(reason ?? 'unreadable');
    return null;
  }
  const workout = workoutOf(fields);
  return withHash({
    ...bareItem,
    data_type: 'workouts',
    key: fields.id,
    supersede: 'latest',
    duration_seconds: workout.duration_seconds,
    workout,
    extras: extrasOf(fields),
  });
}

function extrasOf({ data, sent }: Workout): WorkoutExtras | null {
  const { hr_min, pool_laps, pool_length, strokes } = data;
  const details = sentDetails({
    min_heart_rate_bpm: hr_min,
    swim_lengths: pool_laps,
    swim_strokes: strokes,
    pool_length_meters: pool_length,
  });
  const extra = extraOf(sent, tables.workouts, 'data');
  const extras = { details, laps: null, splits: null, extra };
  return hasExtras(extras) ? extras : null;
}

function refusalOf({ category, startdate, enddate }: Workout, nowMs: number): string | null {
  if (category === noActivity) return 'no_activity';
  const isPlausible = enddate >= startdate && enddate - startdate <= longestSeconds;
  return isPlausible && isStorable(startdate * 1000, nowMs) ? null : 'time_out_of_range';
}

function workoutOf({ category, attrib, timezone, model, startdate, enddate, data }: Workout): WorkoutRecord {
  const { name, type } = categoryOf(category);
  const duration = enddate - startdate;
  const moving = data.pause_duration === null ? null : Math.max(0, duration - data.pause_duration);
  return {
    type,
    raw_type: String(category),
    name,
    plain_name: true,
    start_ms: startdate * 1000,
    end_ms: enddate * 1000,
    zone_offset_minutes: offsetAt(timezone, startdate * 1000),
    duration_seconds: duration,
    moving_seconds: moving,
    device: model ?? 'unknown',
    calories_kcal: data.calories,
    distance_meters: data.distance,
    avg_heart_rate_bpm: data.hr_average,
    max_heart_rate_bpm: data.hr_max,
    avg_pace_sec_per_km: paceOf(moving ?? duration, data.distance),
    elevation_gain_meters: null,
    steps: data.steps,
    manual: attrib === null ? null : attrib === enteredByUser,
    web_upload: null,
    private: null,
    is_parent: false,
    parent_id: null,
  };
}

function paceOf(seconds: number, meters: number | null): number | null {
  return seconds === 0 || meters === null || meters === 0 ? null : seconds / (meters / 1000);
}
