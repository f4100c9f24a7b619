import { createHash } from 'node:crypto';
import { extraOf, extrasTogether } from '../../../domain/provider/extra-fields.ts';
import { bareItem, type SampleBlock, type StoreItem } from '../../../domain/records/records.ts';
import { accepts, type SeriesType } from '../../../domain/records/series.ts';
import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import {
  hasExtras,
  type LapRecord,
  mostLaps,
  noFigures,
  sentDetails,
  type WorkoutExtras,
} from '../../../domain/workouts/details.ts';
import { workout, workoutValues } from '../workout-fields.ts';
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
export function readWorkout(item: RawItem, nowMs: number, timeZone: string | null): StoreItem | Problem {
  const span = spanOf(item, nowMs, timeZone);
  if (isProblem(span)) return span;
  const raw = textOrNull(item.type, 100) ?? 'other';
  const type = workoutTypeOf(raw);
  const values = valuesOf(item.values, type);
  const seconds = Math.round((span.end_ms - span.start_ms) / 1000);
  const title = textOrNull(item.title, 500);
  const source = sourceOf(item);
  const moving = values('minutes', 'duration', 'totalDuration', 'TOTAL_DURATION');
  const distance = values('meters', 'distance', 'totalDistance');
  return {
    ...bareItem,
    ...{ data_type: workoutDataType, key: span.id, hash: hashOf(item), supersede: 'latest' },
    duration_seconds: seconds,
    workout: {
      ...{
        type,
        raw_type: raw,
        name: title ?? plainName(raw),
        plain_name: title === null,
      },
      ...{ start_ms: span.start_ms, end_ms: span.end_ms, zone_offset_minutes: span.zone_offset_minutes },
      duration_seconds: seconds,
      moving_seconds: moving === null ? null : Math.min(seconds, Math.round(moving * 60)),
      device: source.device,
      calories_kcal: values('kcal', ...energies),
      distance_meters: distance,
      avg_heart_rate_bpm: whole(values('bpm', 'averageHeartRate', 'meanHeartRate')),
      max_heart_rate_bpm: whole(values('bpm', 'maxHeartRate')),
      avg_pace_sec_per_km: paceOf(values('m/s', 'averageRunningSpeed', 'averageSpeed', 'meanSpeed')),
      elevation_gain_meters: values('meters', 'elevationAscended', 'altitudeGain'),
      steps: whole(values('count', 'stepCount', 'totalSteps')),
      ...{ manual: source.device_type === 'manual', web_upload: null, private: null },
      ...{ is_parent: false, parent_id: null },
    },
    extras: extrasOf(item, values, span),
    samples: samplesOf(item.samples, span, source.device, type),
  };
}

const energies = ['activeEnergyBurned', 'totalEnergyBurned', 'calories', 'totalCalories', 'TOTAL_CALORIES'];

type Values = ReturnType<typeof valuesOf>;

function extrasOf(item: RawItem, values: Values, span: ItemSpan): WorkoutExtras | null {
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
    indoor: flagOf(sentValues(item.values).get('indoorWorkout')?.value),
    swim_strokes: whole(values('count', 'swimmingStrokeCount')),
    pushes: whole(values('count', 'pushCount')),
    description: textOrNull(item.notes, 5000),
  });
  const extra = extrasTogether(
    extraOf(Object.fromEntries(sentValues(item.values)), workoutValues),
    extraOf(item, workout),
  );
  const extras = { details, laps: lapsOf(item.laps, span), splits: null, extra };
  return hasExtras(extras) ? extras : null;
}

/** The laps of Health Connect, which have a span and a length only. */
function lapsOf(list: unknown, { start_ms, end_ms }: ItemSpan): LapRecord[] | null {
  const laps = (Array.isArray(list) ? list.slice(0, mostLaps) : []).flatMap((lap): LapRecord[] => {
    const span = isObject(lap) ? spanOf({ ...lap, id: 'lap' }, end_ms) : null;
    if (span === null || isProblem(span) || span.start_ms < start_ms || span.end_ms > end_ms) return [];
    const { distanceM } = lap;
    const duration_seconds = (span.end_ms - span.start_ms) / 1000;
    const isLength = typeof distanceM === 'number' && distanceM >= 0 && Number.isFinite(distanceM);
    const distance_meters = isLength ? distanceM : null;
    return [
      { start_ms: span.start_ms, end_ms: span.end_ms, ...noFigures, duration_seconds, distance_meters },
    ];
  });
  return laps.length === 0 ? null : laps;
}

/** The first of the named values that was sent, in a unit of the catalogue; null without one. */
function valuesOf(
  list: unknown,
  type: WorkoutType,
): (unit: string, ...names: readonly string[]) => number | null {
  const sent = sentValues(list);
  return (unit, ...names) => {
    for (const name of names) {
      const { value, unit: given } = sent.get(name) ?? {};
      if (typeof value !== 'number' || !Number.isFinite(value)) continue;
      if (value < 0 && unit !== 'celsius') continue;
      const converted = inUnit(value, textOrNull(given, 60) ?? unstated[name] ?? null, unit, type);
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

/** Units of values that Samsung Health sends with an empty unit: `SESSIONS` without a session. */
const unstated: Readonly<Record<string, string>> = { TOTAL_DURATION: 'ms', TOTAL_CALORIES: 'kcal' };

/** HealthKit's flags are numbers, those of other writers are booleans. */
function flagOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  return typeof value === 'number' ? value !== 0 : null;
}

/** On foot, `spm` counts the steps of both feet; our cadence counts one foot. Samsung Health sends `spm` of other sports too. */
const onFoot: ReadonlySet<WorkoutType> = new Set(['running', 'walking', 'hiking']);
const perFoot = 0.5;

function inUnit(value: number, sent: string | null, wanted: string, type: WorkoutType): number | null {
  if (wanted !== 'rpm' || sent?.toLowerCase() !== 'spm') return convert(value, sent, wanted);
  return onFoot.has(type) ? value * perFoot : value;
}

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

function samplesOf(list: unknown, span: ItemSpan, device: string, type: WorkoutType): SampleBlock[] {
  const bySeries = new Map<SeriesType, Map<number, number>>();
  for (const one of Array.isArray(list) ? list.slice(0, mostSamples) : []) {
    const series = isObject(one) && typeof one.type === 'string' ? sampleSeries[one.type] : undefined;
    if (series === undefined || !isObject(one) || typeof one.value !== 'number') continue;
    const at = typeof one.timestamp === 'string' ? Date.parse(one.timestamp) : Number.NaN;
    const value = inUnit(one.value, textOrNull(one.unit, 60), sampleUnits[series] ?? '', type);
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
