import { createHash } from 'node:crypto';
import { extraOf } from '../../../domain/extra-fields.ts';
import { bareItem, type SampleBlock, type StoreItem } from '../../../domain/records.ts';
import { accepts, type SeriesType } from '../../../domain/series.ts';
import { hasExtras, sentDetails, type WorkoutExtras } from '../../../domain/workouts/details.ts';
import { workoutValues } from '../workout-fields.ts';
import {
  type ItemSpan,
  isObject,
  isProblem,
  type Problem,
  type RawItem,
  spanOf,
  textOrNull,
} from './item.ts';
import { sourceOf } from './source.ts';
import { convert } from './units.ts';
import { plainName, workoutTypeOf } from './workout-types.ts';

/** The data type of workouts among the stored versions of items. */
export const workoutDataType = 'workouts';

/** Reads one entry of `workouts`. Its id is the key, so a workout that is sent again replaces itself. */
export function readWorkout(item: RawItem, nowMs: number): StoreItem | Problem {
  const span = spanOf(item, nowMs);
  if (isProblem(span)) return span;
  const values = valuesOf(item.values);
  const seconds = Math.round((span.end_ms - span.start_ms) / 1000);
  const raw = textOrNull(item.type, 100) ?? 'other';
  const title = textOrNull(item.title, 500);
  const source = sourceOf(item);
  const moving = values('minutes', 'duration', 'totalDuration');
  const distance = values('meters', 'distance', 'totalDistance');
  return {
    ...bareItem,
    ...{ data_type: workoutDataType, key: span.id, hash: hashOf(item), supersede: 'latest' },
    duration_seconds: seconds,
    workout: {
      ...{
        type: workoutTypeOf(raw),
        raw_type: raw,
        name: title ?? plainName(raw),
        plain_name: title === null,
      },
      ...{ start_ms: span.start_ms, end_ms: span.end_ms, zone_offset_minutes: span.zone_offset_minutes },
      duration_seconds: seconds,
      moving_seconds: moving === null ? null : Math.min(seconds, Math.round(moving * 60)),
      device: source.device,
      calories_kcal: values('kcal', 'activeEnergyBurned', 'totalEnergyBurned', 'calories', 'totalCalories'),
      distance_meters: distance,
      avg_heart_rate_bpm: whole(values('bpm', 'averageHeartRate', 'meanHeartRate')),
      max_heart_rate_bpm: whole(values('bpm', 'maxHeartRate')),
      avg_pace_sec_per_km: paceOf(values('m/s', 'averageRunningSpeed', 'averageSpeed', 'meanSpeed')),
      elevation_gain_meters: values('meters', 'elevationAscended', 'altitudeGain'),
      steps: whole(values('count', 'stepCount', 'totalSteps')),
      ...{ manual: source.device_type === 'manual', web_upload: null, private: null },
      ...{ is_parent: false, parent_id: null },
    },
    extras: extrasOf(item, values),
    samples: samplesOf(item.samples, span, source.device),
  };
}

type Values = ReturnType<typeof valuesOf>;

function extrasOf(item: RawItem, values: Values): WorkoutExtras | null {
  const details = sentDetails({
    avg_cadence_rpm: values('rpm', 'averageCadence', 'meanCadence'),
    max_cadence_rpm: values('rpm', 'maxCadence'),
    avg_speed_meters_per_second: values('m/s', 'averageRunningSpeed', 'averageSpeed', 'meanSpeed'),
    max_speed_meters_per_second: values('m/s', 'maxSpeed'),
    avg_power_watts: values('watts', 'averageRunningPower', 'averagePower', 'meanPower'),
    max_power_watts: values('watts', 'maxPower'),
    elevation_loss_meters: values('meters', 'elevationDescended', 'altitudeLoss'),
    elevation_high_meters: values('meters', 'maxAltitude'),
    elevation_low_meters: values('meters', 'minAltitude'),
    min_heart_rate_bpm: whole(values('bpm', 'minHeartRate')),
    avg_temperature_celsius: values('celsius', 'weatherTemperature'),
    pool_length_meters: values('meters', 'lapLength'),
    indoor: flagOf(values('count', 'indoorWorkout')),
    swim_strokes: whole(values('count', 'swimmingStrokeCount')),
    pushes: whole(values('count', 'pushCount')),
    description: textOrNull(item.notes, 5000),
  });
  const extra = extraOf(Object.fromEntries(sentValues(item.values)), workoutValues);
  const extras = { details, laps: null, splits: null, extra };
  return hasExtras(extras) ? extras : null;
}

/** The first of the named values that was sent, in a unit of the catalogue; null without one. */
function valuesOf(list: unknown): (unit: string, ...names: readonly string[]) => number | null {
  const sent = sentValues(list);
  return (unit, ...names) => {
    for (const name of names) {
      const { value, unit: given } = sent.get(name) ?? {};
      if (typeof value !== 'number' || !Number.isFinite(value)) continue;
      if (value < 0 && unit !== 'celsius') continue;
      const converted = convert(value, textOrNull(given, 60), unit);
      if (converted !== null) return converted;
    }
    return null;
  };
}

/** The values by their types. */
function sentValues(list: unknown): Map<string, RawItem> {
  const sent = new Map<string, RawItem>();
  for (const one of Array.isArray(list) ? list.slice(0, mostValues) : [])
    if (isObject(one) && typeof one.type === 'string') sent.set(one.type, one);
  return sent;
}

const mostValues = 1000;
const flagOf = (value: number | null) => (value === null ? null : value !== 0);
const whole = (value: number | null) => (value === null ? null : Math.round(value));

function paceOf(metersPerSecond: number | null): number | null {
  return metersPerSecond === null || metersPerSecond <= 0 ? null : 1000 / metersPerSecond;
}

/** Series of the samples within a workout, by the names that the Android app gives them. */
const sampleSeries: Readonly<Record<string, SeriesType>> = {
  heartRate: 'heart_rate',
  cadence: 'cadence',
  speed: 'speed',
  power: 'power',
};
const sampleUnits: Readonly<Record<string, string>> = {
  heart_rate: 'bpm',
  cadence: 'rpm',
  speed: 'm/s',
  power: 'watts',
};
const mostSamples = 200_000;

function samplesOf(list: unknown, span: ItemSpan, device: string): SampleBlock[] {
  const bySeries = new Map<SeriesType, Map<number, number>>();
  for (const one of Array.isArray(list) ? list.slice(0, mostSamples) : []) {
    const series = isObject(one) && typeof one.type === 'string' ? sampleSeries[one.type] : undefined;
    if (series === undefined || !isObject(one) || typeof one.value !== 'number') continue;
    const at = typeof one.timestamp === 'string' ? Date.parse(one.timestamp) : Number.NaN;
    const value = convert(one.value, textOrNull(one.unit, 60), sampleUnits[series] ?? '');
    if (!(at >= span.start_ms && at <= span.end_ms) || !accepts(series, value)) continue;
    const points = bySeries.get(series) ?? new Map<number, number>();
    bySeries.set(series, points.set(at, value));
  }
  return [...bySeries].map(([type, points]) => {
    const sorted = [...points].toSorted(([a], [b]) => a - b);
    return {
      ...{ type, device, zone_offset_minutes: span.zone_offset_minutes, base_ms: span.start_ms },
      at: sorted.map(([ms]) => ms - span.start_ms),
      values: sorted.map(([, value]) => value),
    };
  });
}

function hashOf(item: RawItem): string {
  return createHash('sha256').update(JSON.stringify(item)).digest('base64url');
}
