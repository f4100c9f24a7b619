import { extraOf } from '../../../domain/provider/extra-fields.ts';
import type { FieldTable } from '../../../domain/provider/field-table.ts';
import type { Draft } from '../../../domain/recipe/draft.ts';
import { bareWorkout } from '../../../domain/recipe/item-of-record.ts';
import { bareItem, type WorkoutRecord } from '../../../domain/records/records.ts';
import {
  hasExtras,
  type LapRecord,
  sentDetails,
  type WorkoutExtras,
} from '../../../domain/workouts/details.ts';
import { noNumber } from './checks.ts';
import { isObject, type Normaliser, refused } from './item.ts';
import { type ReadItem, readTimed } from './read-item.ts';
import { plainName, workoutTypeOf } from './workout-type.ts';

/** Reads the fields of an activity. One without a length is rejected. */
export function readActivity(fields: FieldTable, item: unknown, nowMs: number): ReturnType<typeof readTimed> {
  const read = readTimed(fields, item, nowMs);
  if (!isObject(item) || (read.ok && read.draft.workout?.duration_seconds !== undefined)) return read;
  const field = 'durationInSeconds';
  if ((item[field] ?? null) !== null) return { ok: false, problems: read.problems };
  const reason = Object.hasOwn(item, field) ? noNumber.reason : 'is required';
  return { ok: false, problems: [...read.problems, { field, reason }] };
}

/** A data type of recorded activities. The later delivery replaces the earlier one. */
export function activityType(name: string, fields: FieldTable) {
  const normalise: Normaliser = (item, nowMs) => {
    const read = readActivity(fields, item, nowMs);
    if (!read.ok) return read;
    const { draft, hash, problems } = read;
    if (draft.key === undefined) return refused('activityId', 'is required');
    const workout = workoutOf(read);
    const { duration_seconds } = workout;
    const record = {
      ...{
        ...bareItem,
        data_type: name,
        key: draft.key,
        hash,
        supersede: 'latest' as const,
        duration_seconds,
      },
      ...{ workout, extras: extrasOf(read, fields, null) },
    };
    return { ok: true, problems, item: record };
  };
  return { name, fields, normalise };
}

/** The details, laps and extra fields of an activity. Null if there are none. */
export function extrasOf(
  { draft, item }: ReadItem,
  fields: FieldTable,
  laps: LapRecord[] | null,
): WorkoutExtras | null {
  const details = sentDetails({
    ...draft.details,
    max_pace_sec_per_km: draft.details?.max_pace_sec_per_km || null,
    ...(isIndoor(draft.workout?.raw_type) ? { indoor: true } : {}),
  });
  const extras = { details, laps, splits: null, extra: extraOf(item, fields) };
  return hasExtras(extras) ? extras : null;
}

const indoorType = /^(INDOOR|TREADMILL|VIRTUAL|LAP_SWIMMING|STAIR_CLIMBING|ELLIPTICAL)/;

// Only the types that name it: others may be done anywhere.
function isIndoor(type = ''): boolean {
  return indoorType.test(type.toUpperCase().replaceAll(/[ -]/g, '_'));
}

/** The workout that an activity's fields describe. */
export function workoutOf({ draft, origin }: ReadItem): WorkoutRecord {
  const { workout = {} } = draft;
  const { raw_type = '', duration_seconds = 0, name } = workout;
  const { startMs: start_ms, zoneOffsetMinutes: zone_offset_minutes, device } = origin;
  return Object.assign({ ...bareWorkout }, workout, {
    ...{ type: workoutTypeOf(raw_type), raw_type, name: name ?? plainName(raw_type) },
    ...(name === undefined ? { plain_name: true } : {}),
    avg_pace_sec_per_km: paceOf(draft),
    ...{
      start_ms,
      end_ms: start_ms + duration_seconds * 1000,
      zone_offset_minutes,
      duration_seconds,
      device,
    },
  });
}

// Devices send a pace or speed of 0 if there was no movement.
function paceOf({ workout = {}, details = {} }: Draft): number | null {
  const { avg_pace_sec_per_km: pace = null } = workout;
  const { avg_speed_meters_per_second: speed = null } = details;
  if (pace !== null && pace > 0) return pace;
  return speed !== null && speed > 0 ? 1000 / speed : null;
}
