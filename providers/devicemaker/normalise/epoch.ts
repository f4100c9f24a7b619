import type { EpochRecord } from '../../../domain/records/records.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { plainActivityType, workoutTypeOf } from './activity.ts';
import { fieldReader, idOf, textOf } from './checks.ts';
import type { Problem } from './item.ts';
import type { ReadItem } from './read-item.ts';

/** The checks of fields of an epoch that no end has alone. */
export const epochChecks = { summaryId: idOf, intensity: textOf(40) };

/** One activity type's part of a quarter hour. The store makes the samples of the quarter hour, because it has all of its parts. */
export function withEpoch(read: ReadItem): ReadItem {
  const { draft, startMs: start_ms, offset: zone_offset_minutes, device } = read;
  const { activity_type: raw = '', slot_seconds = null, active_seconds = null } = draft.epoch ?? {};
  const activity_type = plainActivityType(raw) || 'GENERIC';
  const problems = [...read.problems];
  const sedentary_seconds = sedentarySeconds(read, active_seconds ?? slot_seconds, problems);
  const values: EpochRecord['values'] = {};
  for (const { type, value } of read.readings)
    if (typeof value === 'number')
      values[type === 'distance_walking_running' ? distanceTypeOf(activity_type) : type] = value;
  const epoch: EpochRecord = {
    start_ms,
    slot_seconds,
    zone_offset_minutes,
    device,
    activity_type,
    active_seconds,
    sedentary_seconds,
    values,
  };
  return {
    ...read,
    problems,
    readings: [],
    parts: { epoch },
    draft: { key: `${draft.key}/${activity_type}`, duration_seconds: slot_seconds ?? 0 },
  };
}

const otherWays =
  /WHEELCHAIR|SKAT|ROLLER|DRIVING|MOTOR|SCOOTER|ATV|ROWING|BOAT|SAIL|KAYAK|PADDL|SKI|SNOWBOARD|SURF/;

/** The distance series of an activity type: wheels and water have series of their own. */
function distanceTypeOf(activityType: string): SeriesType {
  const workoutType = workoutTypeOf(activityType);
  if (workoutType === 'cycling') return 'distance_cycling';
  if (workoutType === 'swimming') return 'distance_swimming';
  return otherWays.test(activityType) ? 'distance_other' : 'distance_walking_running';
}

// Null: the part has no intensity.
function sedentarySeconds({ item }: ReadItem, seconds: number | null, problems: Problem[]): number | null {
  const sent = fieldReader(item, [])('intensity', epochChecks.intensity);
  const intensity = sent === null ? null : plainActivityType(sent);
  if (intensity === 'SEDENTARY') return seconds;
  if (intensity === 'ACTIVE' || intensity === 'HIGHLY_ACTIVE') return 0;
  if (intensity !== null) problems.push({ field: 'intensity', reason: 'is not known' });
  return null;
}
