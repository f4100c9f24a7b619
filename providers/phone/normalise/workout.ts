import { hash } from 'node:crypto';
import { extraOf, extrasTogether } from '../../../domain/provider/extra-fields.ts';
import {
  assumed,
  each,
  extra,
  type FieldEnd,
  type FieldTable,
  isKept,
  kept,
  notKept,
  under,
} from '../../../domain/provider/field-table.ts';
import { bareWorkout } from '../../../domain/recipe/item-of-record.ts';
import type { Item } from '../../../domain/recipe/read-fields.ts';
import { columnUnit } from '../../../domain/recipe/units.ts';
import { bareItem, type SampleBlock, type StoreItem } from '../../../domain/records/records.ts';
import { accepts, type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import {
  type GivenDetails,
  hasExtras,
  type LapRecord,
  mostLaps,
  noFigures,
  sentDetails,
} from '../../../domain/workouts/details.ts';
import { workoutTypeNamed } from '../../../domain/workouts/sport-names.ts';
import {
  asSent,
  type ItemSpan,
  isProblem,
  itemFields,
  itemsOf,
  ofDevice,
  type Problem,
  spanOf,
  textOrNull,
} from './item.ts';
import { sourceOf } from './source.ts';
import { convert } from './units.ts';

const place = 'location data, which is not kept of uploads';

/** Fields of a workout. The types of `values` have a table of their own. */
export const workoutFields: FieldTable = {
  ...itemFields,
  type: kept(null, 'workout.type', 'workout.raw_type'),
  endDate: kept(null, 'end_time'),
  title: kept(null, 'workout.name'),
  notes: kept(null, 'details.description'),
  ...each(ofDevice, 'source.deviceId', 'source.deviceType'),
  'source.recordingMethod': kept(null, 'workout.manual'),
  'values[].type': kept(null, 'workout.distance_meters'),
  'values[].value': kept(asSent, 'workout.distance_meters'),
  'values[].unit': kept(null, 'workout.distance_meters'),
  'samples[].type': kept(null, 'series.heart_rate'),
  'samples[].value': kept(asSent, 'series.heart_rate'),
  'samples[].unit': kept(null, 'series.speed'),
  ...each(extra(), 'segments[].startDate', 'segments[].endDate', 'segments[].type'),
  'segments[].repetitions': extra('count'),
  'laps[].startDate': kept(null, 'laps.start_ms', 'laps.duration_seconds'),
  'laps[].endDate': kept(null, 'laps.end_ms', 'laps.duration_seconds'),
  'laps[].distanceM': kept('m', 'laps.distance_meters'),
  ...assumed({
    'metadata.HKWasUserEntered': kept(null, 'workout.manual'),
    'samples[].timestamp': kept(null, 'series.heart_rate'),
    'route[].timestamp': notKept(place),
    ...under('route[]', {
      ...each(notKept(place, 'degrees'), 'latitude', 'longitude'),
      ...each(notKept(place, 'm'), 'altitudeM', 'horizontalAccuracyM', 'verticalAccuracyM'),
    }),
  }),
};

/** Values with the same ends. */
const valuesTo = (ends: readonly [FieldEnd, ...FieldEnd[]], ...names: readonly string[]): FieldTable =>
  each(kept(asSent, ...ends), ...names.map((name) => `${name}.value`));

/** Values that no column has. They are kept with their units. */
const extraValues = [
  'basalEnergyBurned',
  'averageRunningStrideLength',
  'averageVerticalOscillation',
  'averageGroundContactTime',
  'averageMETs',
  'vo2Max',
  'weatherHumidity',
  'swimmingLocationType',
];

/** The `values` of a workout by their types. Of those with one end, the first in the table with a usable number counts. */
export const workoutValues: FieldTable = assumed({
  ...valuesTo(['workout.moving_seconds'], 'duration', 'totalDuration', 'TOTAL_DURATION'),
  ...valuesTo(['workout.calories_kcal'], 'activeEnergyBurned'),
  ...valuesTo(['workout.calories_kcal', 'extra'], 'totalEnergyBurned'),
  ...valuesTo(['workout.calories_kcal'], 'calories'),
  ...valuesTo(['workout.calories_kcal', 'extra'], 'totalCalories'),
  ...valuesTo(['workout.calories_kcal'], 'TOTAL_CALORIES'),
  ...valuesTo(['workout.distance_meters'], 'distance', 'totalDistance'),
  ...valuesTo(['workout.avg_heart_rate_bpm'], 'averageHeartRate', 'meanHeartRate'),
  ...valuesTo(['workout.max_heart_rate_bpm'], 'maxHeartRate'),
  ...valuesTo(['details.min_heart_rate_bpm'], 'minHeartRate'),
  ...valuesTo(
    ['workout.avg_pace_sec_per_km', 'details.avg_speed_meters_per_second'],
    ...['averageRunningSpeed', 'averageSpeed', 'meanSpeed'],
  ),
  ...valuesTo(['details.max_speed_meters_per_second'], 'maxSpeed'),
  ...valuesTo(['workout.elevation_gain_meters'], 'elevationAscended', 'altitudeGain'),
  ...valuesTo(['details.elevation_loss_meters'], 'elevationDescended', 'altitudeLoss'),
  ...valuesTo(['details.elevation_high_meters'], 'maxAltitude'),
  ...valuesTo(['details.elevation_low_meters'], 'minAltitude'),
  ...valuesTo(['workout.steps'], 'stepCount', 'totalSteps'),
  ...valuesTo(['details.avg_cadence_rpm'], 'averageCadence', 'meanCadence'),
  ...valuesTo(['details.max_cadence_rpm'], 'maxCadence'),
  ...valuesTo(['details.avg_power_watts'], 'averageRunningPower', 'averagePower', 'meanPower'),
  ...valuesTo(['details.max_power_watts'], 'maxPower'),
  ...valuesTo(['details.swim_strokes'], 'swimmingStrokeCount'),
  ...valuesTo(['details.pool_length_meters'], 'lapLength'),
  ...valuesTo(['details.pushes'], 'pushCount'),
  ...valuesTo(['details.avg_temperature_celsius'], 'weatherTemperature'),
  ...valuesTo(['details.indoor'], 'indoorWorkout'),
  ...valuesTo(['extra'], ...extraValues),
  ...each(extra(), ...['totalEnergyBurned', 'totalCalories', ...extraValues].map((name) => `${name}.unit`)),
});

/** Reads one entry of `workouts`. Its id is the key, so a workout that is sent again replaces itself. */
export function readWorkout(item: Item, nowMs: number, timeZone: string | null): StoreItem | Problem {
  const span = spanOf(item, nowMs, timeZone);
  if (isProblem(span)) return span;
  const { id: key, ...times } = span;
  const raw_type = textOrNull(item.type, 100) ?? 'other';
  const [type, title] = [workoutTypeNamed(raw_type), textOrNull(item.title, 500)];
  const duration_seconds = Math.round((span.end_ms - span.start_ms) / 1000);
  const { device, device_type } = sourceOf(item);
  const sent = new Map<string, Item>();
  for (const one of itemsOf(item.values, mostValues))
    if (typeof one.type === 'string') sent.set(one.type, one);
  const { moving_seconds: moving = null, ...figures } = figuresOf('workout', sent, type);
  const details = figuresOf('details', sent, type);
  const { avg_speed_meters_per_second: speed = null } = details;
  const workout = {
    ...bareWorkout,
    ...figures,
    ...times,
    type,
    raw_type,
    duration_seconds,
    device,
    name: title ?? plainName(raw_type),
    plain_name: title === null,
    manual: device_type === 'manual',
    moving_seconds: moving === null ? null : Math.min(duration_seconds, moving),
    avg_pace_sec_per_km: speed !== null && speed > 0 ? 1000 / speed : null,
  };
  return {
    ...bareItem,
    data_type: 'workouts',
    key,
    supersede: 'latest',
    duration_seconds,
    workout,
    hash: hash('sha256', JSON.stringify(item), 'base64url'),
    extras: extrasOf(item, span, sent, details),
    samples: samplesOf(item.samples, span, device, type),
  };
}

/** The values of a workout by their types. */
type SentValues = ReadonlyMap<string, Item>;
const mostValues = 1000;

type Figures = Record<string, number | null>;

function extrasOf(item: Item, span: ItemSpan, sent: SentValues, figures: GivenDetails): StoreItem['extras'] {
  const { value: flag } = sent.get('indoorWorkout') ?? {};
  // HealthKit's flags are numbers, those of other writers are booleans.
  const indoor = typeof flag === 'boolean' || typeof flag === 'number' ? Boolean(flag) : null;
  const details = sentDetails({ ...figures, indoor, description: textOrNull(item.notes, 5000) });
  const values = Object.fromEntries(sent);
  const extra = extrasTogether(extraOf(values, workoutValues), extraOf(item, workoutFields));
  const extras = { details, laps: lapsOf(item.laps, span), splits: null, extra };
  return hasExtras(extras) ? extras : null;
}

/** The laps of Health Connect, which have a span and a length only. */
function lapsOf(list: unknown, { start_ms, end_ms }: ItemSpan): LapRecord[] | null {
  const laps = itemsOf(list, mostLaps).flatMap((lap): LapRecord[] => {
    const span = spanOf({ ...lap, id: 'lap' }, end_ms);
    if (isProblem(span) || span.start_ms < start_ms || span.end_ms > end_ms) return [];
    const { id: _, zone_offset_minutes: __, ...times } = span;
    const duration_seconds = (span.end_ms - span.start_ms) / 1000;
    const { distanceM } = lap;
    const isLength = typeof distanceM === 'number' && distanceM >= 0 && Number.isFinite(distanceM);
    return [{ ...noFigures, ...times, duration_seconds, distance_meters: isLength ? distanceM : null }];
  });
  return laps.length === 0 ? null : laps;
}

/** The values and the columns that they fill, in the order of the table, by the parts of a workout. */
const filled = Map.groupBy(
  Object.entries(workoutValues).flatMap(([path, field]) =>
    isKept(field) ? field.ends.map((end) => [path.replace('.value', ''), ...end.split('.')]) : [],
  ),
  ([, part]) => part,
);

function figuresOf(part: 'workout' | 'details', sent: SentValues, type: WorkoutType): Figures {
  const figures: Figures = {};
  for (const [name = '', , column = ''] of filled.get(part) ?? [])
    figures[column] ??= figureOf(column, name, sent.get(name), type);
  return figures;
}

function figureOf(column: string, name: string, sent: Item | undefined, type: WorkoutType): number | null {
  const value = sent?.value;
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  if (value < 0 && !column.endsWith('celsius')) return null;
  const given = textOrNull(sent?.unit, 60) ?? unstated[name] ?? null;
  const wanted = columnUnit(column) ?? 'count';
  if (wanted === 's') return rounded(convert(value, given, 'minutes'), 60);
  const converted = inUnit(value, given, wanted, type);
  return wanted === 'bpm' || wanted === 'count' ? rounded(converted) : converted;
}

const rounded = (value: number | null, factor = 1) => (value === null ? null : Math.round(value * factor));

/** Units of values that Samsung Health sends with an empty unit: `SESSIONS` without a session. */
const unstated: Readonly<Record<string, string>> = { TOTAL_DURATION: 'ms', TOTAL_CALORIES: 'kcal' };

/** On foot, `spm` counts the steps of both feet; our cadence counts one foot. Samsung Health sends `spm` of other sports too. */
const onFoot: ReadonlySet<WorkoutType> = new Set(['running', 'walking', 'hiking']);
const perFoot = 0.5;

function inUnit(value: number, sent: string | null, wanted: string, type: WorkoutType): number | null {
  if (wanted !== 'rpm' || sent?.toLowerCase() !== 'spm') return convert(value, sent, wanted);
  return onFoot.has(type) ? value * perFoot : value;
}

/** Series of the samples within a workout, by the names that the Android app gives them. */
const sampleSeries: ReadonlyMap<unknown, SeriesType> = new Map([
  ['heartRate', 'heart_rate'],
  ...(['cadence', 'speed', 'power'] as const).map((name) => [name, name] as const),
]);
const mostSamples = 200_000;

function samplesOf(list: unknown, span: ItemSpan, device: string, sport: WorkoutType): SampleBlock[] {
  const bySeries = new Map<SeriesType, Map<number, number>>();
  for (const { type, timestamp, value: given, unit } of itemsOf(list, mostSamples)) {
    const series = sampleSeries.get(type);
    if (series === undefined || typeof given !== 'number') continue;
    const at = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
    const value = inUnit(given, textOrNull(unit, 60), seriesOf(series).unit, sport);
    if (!(at >= span.start_ms && at <= span.end_ms) || !accepts(series, value)) continue;
    const points = bySeries.get(series) ?? new Map<number, number>();
    bySeries.set(series, points.set(at, value));
  }
  return [...bySeries].map(([type, points]) => {
    const sorted = [...points].toSorted(([a], [b]) => a - b);
    return {
      type,
      device,
      zone_offset_minutes: span.zone_offset_minutes,
      base_ms: span.start_ms,
      at: sorted.map(([ms]) => ms - span.start_ms),
      values: sorted.map(([, value]) => value),
    };
  });
}

/** A name that is shown where the user gave none: `Functional strength training`. */
export function plainName(type: string): string {
  const words = type.trim().toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
