import { hash } from 'node:crypto';
import { bareWorkout } from '../../../domain/recipe/item-of-record.ts';
import { type Item, isItem } from '../../../domain/recipe/read-fields.ts';
import { WorkoutRecord } from '../../../domain/records/records.ts';
import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import { dayMs, earliestMs } from '../../../domain/time/time.ts';
import { offsetMinutesIn } from '../../../domain/time/zone.ts';
import type { WorkoutExtras } from '../../../domain/workouts/details.ts';
import { workoutTypeNamed } from '../../../domain/workouts/sport-names.ts';
import { activity, startOf } from '../fields.ts';
import { columnsOf, textOf } from './columns.ts';
import { activityExtras } from './extras.ts';

/**
 * A normalised activity. `hash` covers everything that is kept of it, `recording` covers what its samples depend on.
 */
export interface NormalisedActivity {
  readonly workout: WorkoutRecord;
  readonly extras: WorkoutExtras;
  readonly hash: string;
  readonly recording: string;
}

const Given = WorkoutRecord.omit({ type: true }).partial();
const workoutColumns = columnsOf('workout', activity);

/** Makes a workout from an activity's details. Null if they contain no valid start or no duration. */
export function normaliseActivity(details: unknown, nowMs: number): NormalisedActivity | null {
  if (!isItem(details)) return null;
  const given = Given.parse(workoutColumns(details));
  const start_ms = startOf(details.start_date);
  const seconds = given.duration_seconds ?? given.moving_seconds ?? null;
  if (start_ms === null || seconds === null || start_ms < earliestMs || start_ms > nowMs + dayMs) return null;
  const { raw_type = '', name = plainName(raw_type) } = given;
  const workout = WorkoutRecord.parse({
    ...bareWorkout,
    ...given,
    type: workoutTypeOf(raw_type),
    raw_type,
    name,
    plain_name: given.name === undefined,
    start_ms,
    end_ms: start_ms + seconds * 1000,
    zone_offset_minutes: zoneOffsetMinutes(details, start_ms),
    duration_seconds: seconds,
    device: textOf(details.device_name, 100) ?? 'unknown',
    avg_pace_sec_per_km: paceOf(given.moving_seconds ?? 0, given.distance_meters ?? 0),
  });
  const extras = activityExtras(details);
  const { device, distance_meters, zone_offset_minutes } = workout;
  return {
    workout,
    extras,
    hash: hashOf([workout, extras]),
    recording: hashOf([start_ms, seconds, distance_meters, device, zone_offset_minutes]),
  };
}

const others: ReadonlySet<string> = new Set(['crossfit', 'snowshoe']);

/** The workout type of a sport type. */
export const workoutTypeOf = (sportType: string): WorkoutType => workoutTypeNamed(sportType, others);

/** A name for an unnamed activity: its type in plain words. */
function plainName(sportType: string): string {
  const words = sportType
    .trim()
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return words === '' ? 'Activity' : words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Offset of an activity's clock from UTC in minutes: as sent, otherwise from the zone's name at that instant
 * ("(GMT-08:00) America/Los_Angeles": the hours in parentheses are those of winter), otherwise null.
 */
function zoneOffsetMinutes({ utc_offset: seconds, timezone }: Item, atMs: number): number | null {
  if (typeof seconds === 'number' && Math.abs(seconds) <= longestOffset) return Math.round(seconds / 60);
  const name = textOf(timezone, 100)?.split(' ').at(-1) ?? '';
  return name.includes('/') ? offsetMinutesIn(name, atMs) : null;
}

const longestOffset = 18 * 3600;

function paceOf(seconds: number, meters: number): number | null {
  return seconds === 0 || meters === 0 ? null : seconds / (meters / 1000);
}

const hashOf = (value: unknown): string => hash('sha256', JSON.stringify(value));
