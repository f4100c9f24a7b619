import { createHash } from 'node:crypto';
import { extraOf } from '../../../domain/provider/extra-fields.ts';
import type { Normalised, PartRead } from '../../../domain/provider/pulled-provider.ts';
import { StoreItem, type WorkoutRecord } from '../../../domain/records/records.ts';
import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import { hasExtras, sentDetails, type WorkoutExtras } from '../../../domain/workouts/details.ts';
import { exercise as exerciseFields } from '../session-fields.ts';
import { deviceOf, idOf, intervalOf, isObject, numberAt, secondsOf } from './point.ts';

/** Parts of the provider's names of exercises, the most specific first. */
const typesByPart: readonly (readonly [RegExp, WorkoutType])[] = [
  [/HIKING|TREKKING/, 'hiking'],
  [/RUN|JOG|TREADMILL/, 'running'],
  [/WALK/, 'walking'],
  [/BIK|CYCL|SPIN/, 'cycling'],
  [/SWIM/, 'swimming'],
  [/HIIT|INTERVAL|CIRCUIT|CROSSFIT|BOOTCAMP/, 'hiit'],
  [/STRENGTH|WEIGHT|CALISTHENICS|KETTLEBELL/, 'strength_training'],
  [/YOGA/, 'yoga'],
  [/PILATES|BARRE/, 'pilates'],
  [/ROW/, 'rowing'],
  [/ELLIPTICAL/, 'elliptical'],
];

function typeOf(name: string): WorkoutType {
  return typesByPart.find(([part]) => part.test(name))?.[1] ?? 'other';
}

/** The exercises that start in a part. */
export function normaliseExercise({ records, span }: PartRead): Normalised {
  const read = (records.list ?? []).map(exerciseOf);
  const invalid = read.filter((one) => one === null).length;
  const items = read
    .flatMap((one) => one ?? [])
    .filter(({ workout }) => {
      const ms = workout?.start_ms ?? 0;
      return span === null || (ms >= span.startMs && ms < span.endMs);
    });
  return { items, skipped: invalid === 0 ? {} : { POINT_INVALID: invalid } };
}

function exerciseOf(point: unknown): StoreItem | null {
  const value = isObject(point) ? point.exercise : undefined;
  if (!isObject(point) || !isObject(value)) return null;
  const workout = recordOf(point, value);
  if (workout === null) return null;
  const extras = extrasOf(value);
  return StoreItem.parse({
    ...{ data_type: 'exercise', key: idOf(point) ?? `${workout.start_ms}`, supersede: 'latest', workout },
    ...{
      extras,
      hash: createHash('sha256')
        .update(JSON.stringify([workout, extras]))
        .digest('hex'),
    },
    ...{ duration_seconds: workout.duration_seconds },
  });
}

function extrasOf(value: Readonly<Record<string, unknown>>): WorkoutExtras | null {
  const metrics = isObject(value.metricsSummary) ? value.metricsSummary : {};
  const speed = meters(numberAt(metrics, 'averageSpeedMillimetersPerSecond'));
  const notes =
    typeof value.notes === 'string' ? value.notes.replaceAll('\0', '').slice(0, 5000).toWellFormed() : '';
  const steps = numberAt(metrics, 'mobilityMetrics.avgCadenceStepsPerMinute');
  const details = sentDetails({
    avg_speed_meters_per_second: speed,
    // Our cadence counts one foot.
    avg_cadence_rpm: steps === null ? null : steps / 2,
    description: notes || null,
  });
  const extra = extraOf(metrics, exerciseFields, 'exercise', 'metricsSummary');
  const extras = { details, laps: null, splits: null, extra };
  return hasExtras(extras) ? extras : null;
}

function recordOf(
  point: Readonly<Record<string, unknown>>,
  value: Readonly<Record<string, unknown>>,
): WorkoutRecord | null {
  const interval = intervalOf(value);
  if (interval === null) return null;
  const metrics = isObject(value.metricsSummary) ? value.metricsSummary : {};
  const rawType = typeof value.exerciseType === 'string' ? value.exerciseType.slice(0, 100) : '';
  const title = typeof value.displayName === 'string' ? value.displayName.slice(0, 500) : '';
  const millimeters = (path: string) => meters(numberAt(metrics, path));
  const speed = numberAt(metrics, 'averageSpeedMillimetersPerSecond');
  const count = (path: string) => rounded(numberAt(metrics, path));
  const device = deviceOf(point);
  return {
    ...{ type: typeOf(rawType), raw_type: rawType, plain_name: title === '' },
    name: title === '' ? plainName(rawType) : title,
    ...{ start_ms: interval.startMs, end_ms: interval.endMs, zone_offset_minutes: interval.offsetMinutes },
    duration_seconds: Math.round((interval.endMs - interval.startMs) / 1000),
    moving_seconds: secondsOf(value.activeDuration),
    ...{ device: device.name, manual: device.type === 'manual' },
    calories_kcal: numberAt(metrics, 'caloriesKcal'),
    distance_meters: millimeters('distanceMillimeters'),
    avg_heart_rate_bpm: count('averageHeartRateBeatsPerMinute'),
    max_heart_rate_bpm: count('maxHeartRateBeatsPerMinute'),
    avg_pace_sec_per_km: speed === null || speed <= 0 ? null : 1_000_000 / speed,
    elevation_gain_meters: millimeters('elevationGainMillimeters'),
    ...{ steps: count('steps'), web_upload: null, private: null, is_parent: false, parent_id: null },
  };
}

function meters(millimeters: number | null): number | null {
  return millimeters === null ? null : millimeters / 1000;
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

function plainName(rawType: string): string {
  const words = rawType.toLowerCase().replaceAll('_', ' ').trim();
  return words === '' ? 'Exercise' : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
