import { bareWorkout, extrasOf } from '../../../domain/recipe/item-of-record.ts';
import type { WorkoutRecord } from '../../../domain/records/records.ts';
import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import { workoutTypeNamed } from '../../../domain/workouts/sport-names.ts';
import { type Refused, refused } from './item.ts';
import type { ReadItem } from './read-item.ts';

// Only the types that name it: others may be done anywhere.
const indoorType = /^(INDOOR|TREADMILL|VIRTUAL|LAP_SWIMMING|STAIR_CLIMBING|ELLIPTICAL)/;

/** An activity with the workout that its fields describe. */
export function withWorkout(read: ReadItem): ReadItem | Refused {
  const { startMs: start_ms, offset: zone_offset_minutes, device, draft } = read;
  const { key, workout: given = {}, details = {}, laps = null } = draft;
  if (key === undefined) return refused('activityId', 'is required');
  const { raw_type = '', duration_seconds = 0, name } = given;
  const { avg_pace_sec_per_km: pace = null } = given;
  const { avg_speed_meters_per_second: speed = null, max_pace_sec_per_km } = details;
  // Devices send a pace or speed of 0 if there was no movement.
  const ofSpeed = speed !== null && speed > 0 ? 1000 / speed : null;
  const workout: WorkoutRecord = {
    ...bareWorkout,
    ...given,
    type: workoutTypeOf(raw_type),
    raw_type,
    name: name ?? plainName(raw_type),
    ...(name === undefined ? { plain_name: true } : {}),
    avg_pace_sec_per_km: pace !== null && pace > 0 ? pace : ofSpeed,
    start_ms,
    end_ms: start_ms + duration_seconds * 1000,
    zone_offset_minutes,
    duration_seconds,
    device,
  };
  const isIndoor = indoorType.test(raw_type.toUpperCase().replaceAll(/[ -]/g, '_'));
  const indoor = isIndoor ? { indoor: true } : {};
  const sent = { ...details, max_pace_sec_per_km: max_pace_sec_per_km || null, ...indoor };
  const extras = extrasOf({ details: sent, laps }, null);
  return {
    ...read,
    draft: { key, duration_seconds },
    parts: { ...read.parts, workout, extras },
  };
}

/** An activity type without variations of case, blanks, hyphens and a trailing version. */
export function plainActivityType(raw: string): string {
  return raw.trim().toUpperCase().replaceAll(/[\s-]/g, '_').replace(/_V2$/, '');
}

/** A name for an unnamed activity: its type in plain words. */
function plainName(raw: string): string {
  const words = plainActivityType(raw).replaceAll('_', ' ').trim().toLowerCase();
  return words === '' ? 'Activity' : words.charAt(0).toUpperCase() + words.slice(1);
}

const others: ReadonlySet<string> = new Set(['mountaineering']);

/** The workout type of an activity type. */
export const workoutTypeOf = (raw: string): WorkoutType => workoutTypeNamed(raw, others);
