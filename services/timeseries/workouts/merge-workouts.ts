import type { WorkoutRecord } from '../../../domain/records/records.ts';

/** The fields that a data type sent of a workout, and its end before it was cropped. */
export interface WorkoutPart extends WorkoutRecord {
  readonly uncropped_end_ms?: number | undefined;
}

/** The fields of one workout by data type. */
export type WorkoutParts = Readonly<Record<string, WorkoutPart>>;

/** Activity details repeat the fields of the activity. They only fill fields that the activity itself lacks. */
const lastBelieved = 'activityDetails';

/**
 * Merges the fields of several data types into one workout, in any order of arrival. A field is never cleared by a data
 * type that lacks it. @throws if there is no part
 */
export function mergeWorkouts(parts: WorkoutParts): WorkoutRecord {
  const inOrder = Object.entries(parts).toSorted(
    ([a], [b]) => Number(a === lastBelieved) - Number(b === lastBelieved),
  );
  return inOrder.map(([, { uncropped_end_ms: _, ...record }]): WorkoutRecord => record).reduce(filled);
}

function filled(record: WorkoutRecord, other: WorkoutRecord): WorkoutRecord {
  return {
    ...record,
    ...(record.raw_type === '' ? { type: other.type, raw_type: other.raw_type } : {}),
    ...namesOf(record, other),
    device: record.device === 'unknown' ? other.device : record.device,
    zone_offset_minutes: record.zone_offset_minutes ?? other.zone_offset_minutes,
    moving_seconds: record.moving_seconds ?? other.moving_seconds,
    calories_kcal: record.calories_kcal ?? other.calories_kcal,
    distance_meters: record.distance_meters ?? other.distance_meters,
    avg_heart_rate_bpm: record.avg_heart_rate_bpm ?? other.avg_heart_rate_bpm,
    max_heart_rate_bpm: record.max_heart_rate_bpm ?? other.max_heart_rate_bpm,
    avg_pace_sec_per_km: record.avg_pace_sec_per_km ?? other.avg_pace_sec_per_km,
    elevation_gain_meters: record.elevation_gain_meters ?? other.elevation_gain_meters,
    steps: record.steps ?? other.steps,
    manual: record.manual ?? other.manual,
    web_upload: record.web_upload ?? other.web_upload,
    private: record.private ?? other.private,
    is_parent: record.is_parent || other.is_parent,
    parent_id: record.parent_id ?? other.parent_id,
  };
}

// A name that was made from a type is replaced by a real name, or by one that was made from a known type.
function namesOf(record: WorkoutRecord, other: WorkoutRecord): Partial<WorkoutRecord> {
  if (record.plain_name !== true) return {};
  if (other.plain_name === true && record.raw_type !== '') return {};
  return { name: other.name, plain_name: other.plain_name };
}
