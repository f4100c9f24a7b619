import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { WorkoutRecord } from '../../../domain/records/records.ts';
import { dayMs, earliestMs, parseInstant } from '../../../domain/time/time.ts';
import type { WorkoutExtras } from '../../../domain/workouts/details.ts';
import { activityExtras } from './extras.ts';
import { plainName, workoutTypeOf } from './workout-type.ts';
import { zoneOffsetMinutes } from './zone-offset.ts';

/** An invalid field counts as absent: one bad value does not cost the whole activity. */
const measure = (least: number, most: number) =>
  z.number().min(least).max(most).nullable().default(null).catch(null);
const whole = (least: number, most: number) =>
  z.number().transform(Math.round).pipe(z.int().min(least).max(most)).nullable().default(null).catch(null);
const text = (most: number) =>
  z
    .string()
    .transform((value) => value.replaceAll('\0', '').trim().slice(0, most).toWellFormed() || null)
    .nullable()
    .default(null)
    .catch(null);
const flag = z.boolean().nullable().default(null).catch(null);
const longestSeconds = 31 * 86_400;

const Activity = z.object({
  name: text(500),
  sport_type: text(100),
  type: text(100),
  start_date: z.string().max(40),
  timezone: text(100),
  utc_offset: measure(-64_800, 64_800),
  elapsed_time: whole(0, longestSeconds),
  moving_time: whole(0, longestSeconds),
  distance: measure(0, 10_000_000),
  total_elevation_gain: measure(0, 100_000),
  average_heartrate: whole(1, 300),
  max_heartrate: whole(1, 300),
  calories: measure(0, 100_000),
  device_name: text(100),
  manual: flag,
  private: flag,
});

type Activity = z.output<typeof Activity>;

/**
 * A normalised activity. `hash` covers everything that is kept of it, `recording` covers what its samples depend on.
 */
export interface NormalisedActivity {
  readonly workout: WorkoutRecord;
  readonly extras: WorkoutExtras;
  readonly hash: string;
  readonly recording: string;
}

/** Makes a workout from an activity's details. Null if they contain no valid start or no duration. */
export function normaliseActivity(details: unknown, nowMs: number): NormalisedActivity | null {
  const fields = Activity.safeParse(details).data;
  const startMs = fields === undefined ? undefined : parseInstant(fields.start_date)?.ms;
  if (fields === undefined || startMs === undefined) return null;
  const seconds = fields.elapsed_time ?? fields.moving_time;
  if (seconds === null || startMs < earliestMs || startMs > nowMs + dayMs) return null;
  const workout = workoutOf(fields, startMs, seconds);
  const extras = activityExtras(details);
  const { start_ms, device, distance_meters, zone_offset_minutes } = workout;
  return {
    workout,
    extras,
    hash: hashOf([workout, extras]),
    recording: hashOf([start_ms, seconds, distance_meters, device, zone_offset_minutes]),
  };
}

function workoutOf(fields: Activity, startMs: number, seconds: number): WorkoutRecord {
  const rawType = fields.sport_type ?? fields.type ?? '';
  return {
    type: workoutTypeOf(rawType),
    raw_type: rawType,
    name: fields.name ?? plainName(rawType),
    plain_name: fields.name === null,
    start_ms: startMs,
    end_ms: startMs + seconds * 1000,
    zone_offset_minutes: zoneOffsetMinutes(fields.utc_offset, fields.timezone, startMs),
    duration_seconds: seconds,
    moving_seconds: fields.moving_time,
    device: fields.device_name ?? 'unknown',
    // The platform sends 0 for "unknown" (rides with kilojoules only, manual entries). Kilojoules are mechanical work
    // and are not converted to calories.
    calories_kcal: fields.calories === 0 ? null : fields.calories,
    distance_meters: fields.distance,
    avg_heart_rate_bpm: fields.average_heartrate,
    max_heart_rate_bpm: fields.max_heartrate,
    avg_pace_sec_per_km: paceOf(fields),
    elevation_gain_meters: fields.total_elevation_gain,
    steps: null,
    manual: fields.manual,
    web_upload: null,
    private: fields.private,
    is_parent: false,
    parent_id: null,
  };
}

function paceOf({ moving_time: seconds, distance: meters }: Activity): number | null {
  return seconds === null || seconds === 0 || meters === null || meters === 0
    ? null
    : seconds / (meters / 1000);
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
