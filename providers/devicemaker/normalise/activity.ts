import { z } from 'zod';
import { bareItem, type WorkoutRecord } from '../../../domain/records/records.ts';
import { hasExtras, type WorkoutExtras } from '../../../domain/workouts/details.ts';
import { extrasOf } from './activity-extras.ts';
import { beats, count, flag, head, id, isObject, measure, type Normaliser, refused, text } from './item.ts';
import type { SampleOrigin } from './samples.ts';
import { readTimed } from './timed-item.ts';
import { plainName, workoutTypeOf } from './workout-type.ts';

/** The fields of an activity. Activity details carry them too. */
export const Activity = z.object({
  ...head,
  durationInSeconds: z
    .number('must be a number')
    .min(0, 'must be 0 to 2678400')
    .max(2_678_400, 'must be 0 to 2678400')
    .transform(Math.round),
  activityId: id,
  activityName: text(500),
  activityType: text(100),
  movingDurationInSeconds: count(0, 2_678_400),
  distanceInMeters: measure(0, 10_000_000),
  activeKilocalories: measure(0, 100_000),
  averageHeartRateInBeatsPerMinute: beats,
  maxHeartRateInBeatsPerMinute: beats,
  averagePaceInMinutesPerKilometer: measure(0, 1000),
  averageSpeedInMetersPerSecond: measure(0, 150),
  totalElevationGainInMeters: measure(0, 100_000),
  steps: count(0, 1_000_000),
  manual: flag,
  isWebUpload: flag,
  isParent: flag,
  parentSummaryId: id,
});

/** A parsed activity. */
export type Activity = z.output<typeof Activity>;

/**
 * An activity becomes a workout. Its key is the activity id, or the summary id from older senders that omit it. The
 * later delivery replaces the earlier one.
 */
export const normaliseActivity: Normaliser = (item, nowMs) => {
  const read = readTimed(Activity, ['durationInSeconds'], item, nowMs);
  if (!read.ok) return read;
  const { fields, problems, origin, hash } = read;
  const key = fields.activityId ?? fields.summaryId;
  if (key === null) return refused('activityId', 'is required');
  const record = {
    ...bareItem,
    data_type: 'activities',
    key,
    hash,
    supersede: 'latest' as const,
    duration_seconds: fields.durationInSeconds,
    workout: workoutOf(fields, origin),
    extras: isObject(item) ? givenExtras(extrasOf(item)) : null,
  };
  return { ok: true, problems, item: record };
};

/** Null if there is nothing to store. */
export function givenExtras(extras: WorkoutExtras): WorkoutExtras | null {
  return hasExtras(extras) ? extras : null;
}

/** The workout that an activity's fields describe. */
export function workoutOf(
  fields: Activity,
  { startMs, zoneOffsetMinutes, device }: SampleOrigin,
): WorkoutRecord {
  const rawType = fields.activityType ?? '';
  return {
    type: workoutTypeOf(rawType),
    raw_type: rawType,
    name: fields.activityName ?? plainName(rawType),
    ...(fields.activityName === null ? { plain_name: true } : {}),
    start_ms: startMs,
    end_ms: startMs + fields.durationInSeconds * 1000,
    zone_offset_minutes: zoneOffsetMinutes,
    duration_seconds: fields.durationInSeconds,
    moving_seconds: fields.movingDurationInSeconds,
    device,
    calories_kcal: fields.activeKilocalories,
    distance_meters: fields.distanceInMeters,
    avg_heart_rate_bpm: fields.averageHeartRateInBeatsPerMinute,
    max_heart_rate_bpm: fields.maxHeartRateInBeatsPerMinute,
    avg_pace_sec_per_km: paceOf(fields),
    elevation_gain_meters: fields.totalElevationGainInMeters,
    steps: fields.steps,
    manual: fields.manual,
    web_upload: fields.isWebUpload,
    private: null,
    is_parent: fields.isParent ?? false,
    parent_id: fields.parentSummaryId,
  };
}

// Devices send a pace or speed of 0 if there was no movement.
function paceOf(fields: Activity): number | null {
  const { averagePaceInMinutesPerKilometer: pace, averageSpeedInMetersPerSecond: speed } = fields;
  if (pace !== null && pace > 0) return pace * 60;
  return speed !== null && speed > 0 ? 1000 / speed : null;
}
