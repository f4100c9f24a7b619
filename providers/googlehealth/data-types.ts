import type { PulledType, Span } from '../../domain/pulled-provider.ts';
import { dayMs, hourMs } from '../../domain/time.ts';
import { normaliseExercise } from './normalise/exercise.ts';
import { normaliseSampled, type SampledRow } from './normalise/sampled.ts';
import { normaliseSleep } from './normalise/sleep.ts';
import { activeMinutes, normaliseSummed, type SummedRow, scaled } from './normalise/summed.ts';
import { pointsPass } from './points.ts';

const prefix = 'https://www.googleapis.com/auth/googlehealth.';

/** The name of a scope of reads. */
export const scopeOf = (part: string) => `${prefix}${part}.readonly`;

/** Scopes of data, by the last part of their names. */
export const dataScopes = {
  activity: scopeOf('activity_and_fitness'),
  metrics: scopeOf('health_metrics_and_measurements'),
  sleep: scopeOf('sleep'),
  nutrition: scopeOf('nutrition'),
} as const;

type DataScope = keyof typeof dataScopes;

const isGrantedBy = (scope: DataScope) => (granted: readonly string[]) => granted.includes(dataScopes[scope]);

const millimeter = 0.001;
/** The longest range of a call, and of one for a dense type. */
const rangeMs = 90 * dayMs;
const denseRangeMs = 14 * dayMs;
/** A part of a dense type that is read and replaced at once: a day has up to 86,400 values. */
const densePartMs = Math.min(dayMs, denseRangeMs);

// Notifications that the provider gave up, and deletions that it does not notify, are repaired by these reads.
const daily = [{ everyMs: dayMs, days: 3 }];

function wholeHours({ startMs, endMs }: Span): Span {
  return { startMs: Math.floor(startMs / hourMs) * hourMs, endMs: Math.ceil(endMs / hourMs) * hourMs };
}

// A notification may name only the time in which a session ended. A session is kept if it starts in the span.
function startsBefore({ startMs, endMs }: Span): Span {
  return wholeHours({ startMs: startMs - dayMs, endMs });
}

// A point of a day is at noon UTC of its local date.
function wholeDays({ startMs, endMs }: Span): Span {
  return {
    startMs: Math.floor(startMs / dayMs) * dayMs - dayMs,
    endMs: Math.ceil(endMs / dayMs) * dayMs + dayMs,
  };
}

const summed: readonly (SummedRow & { readonly scope: DataScope })[] = [
  { type: 'steps', member: 'steps', series: 'steps', read: scaled('count'), scope: 'activity' },
  {
    ...{ type: 'distance', member: 'distance', series: 'distance_walking_running', scope: 'activity' },
    read: scaled('millimeters', millimeter),
  },
  { type: 'floors', member: 'floors', series: 'flights_climbed', read: scaled('count'), scope: 'activity' },
  {
    ...{ type: 'active-energy-burned', member: 'activeEnergyBurned', series: 'energy', scope: 'activity' },
    read: scaled('kcal'),
  },
  {
    ...{ type: 'basal-energy-burned', member: 'basalEnergyBurned', series: 'basal_energy' },
    ...{ read: scaled('kcal'), scope: 'activity' },
  },
  {
    ...{ type: 'active-minutes', member: 'activeMinutes', series: 'exercise_time', scope: 'activity' },
    read: activeMinutes,
  },
  {
    ...{ type: 'hydration-log', member: 'hydrationLog', series: 'hydration', scope: 'nutrition' },
    read: scaled('amountConsumed.milliliters'),
  },
];

const sampled: readonly (SampledRow & { readonly scope: DataScope; readonly isDense?: true })[] = [
  {
    ...{ type: 'heart-rate', member: 'heartRate', shape: 'sample', scope: 'metrics', isDense: true },
    values: [{ series: 'heart_rate', path: 'beatsPerMinute' }],
  },
  {
    ...{
      type: 'daily-resting-heart-rate',
      member: 'dailyRestingHeartRate',
      shape: 'daily',
      scope: 'metrics',
      dayValue: 'resting_heart_rate_bpm',
    },
    values: [{ series: 'resting_heart_rate', path: 'beatsPerMinute' }],
  },
  {
    ...{ type: 'heart-rate-variability', member: 'heartRateVariability', shape: 'sample', scope: 'metrics' },
    values: [
      {
        series: 'heart_rate_variability_rmssd',
        path: 'rootMeanSquareOfSuccessiveDifferencesMilliseconds',
      },
      { series: 'heart_rate_variability_sdnn', path: 'standardDeviationMilliseconds' },
    ],
  },
  {
    ...{ type: 'oxygen-saturation', member: 'oxygenSaturation', shape: 'sample', scope: 'metrics' },
    values: [{ series: 'oxygen_saturation', path: 'percentage' }],
  },
  {
    ...{ type: 'daily-respiratory-rate', member: 'dailyRespiratoryRate', shape: 'daily', scope: 'metrics' },
    values: [{ series: 'respiratory_rate', path: 'breathsPerMinute' }],
  },
  {
    ...{ type: 'daily-sleep-temperature-derivations', member: 'dailySleepTemperatureDerivations' },
    ...{ shape: 'daily', scope: 'metrics' },
    values: [{ series: 'skin_temperature', path: 'nightlyTemperatureCelsius' }],
  },
  {
    ...{ type: 'core-body-temperature', member: 'coreBodyTemperature', shape: 'sample', scope: 'metrics' },
    values: [{ series: 'body_temperature', path: 'temperatureCelsius' }],
  },
  {
    ...{ type: 'blood-glucose', member: 'bloodGlucose', shape: 'sample', scope: 'metrics' },
    values: [{ series: 'blood_glucose', path: 'bloodGlucoseMilligramsPerDeciliter' }],
  },
  {
    ...{ type: 'weight', member: 'weight', shape: 'sample', scope: 'metrics' },
    values: [{ series: 'weight', path: 'weightGrams', factor: 0.001 }],
  },
  {
    ...{ type: 'body-fat', member: 'bodyFat', shape: 'sample', scope: 'metrics' },
    values: [{ series: 'body_fat_percentage', path: 'percentage' }],
  },
  {
    ...{ type: 'height', member: 'height', shape: 'sample', scope: 'metrics' },
    values: [{ series: 'height', path: 'heightMillimeters', factor: 0.1 }],
  },
  {
    ...{ type: 'vo2-max', member: 'vo2Max', shape: 'sample', scope: 'activity' },
    values: [{ series: 'vo2_max', path: 'vo2Max' }],
  },
];

/** Estimates from runs. They are of the same series as `vo2-max`, so both are read together. */
const runVo2Max: SampledRow = {
  ...{ type: 'run-vo2-max', member: 'runVo2Max', shape: 'sample' },
  values: [{ series: 'vo2_max', path: 'runVo2Max' }],
};

const dayPartMs = 10 * dayMs;

function summedType({ scope, ...row }: (typeof summed)[number]): PulledType {
  return {
    ...{ isGranted: isGrantedBy(scope), follows: 'spans', longestSpanMs: dayPartMs, widen: wholeHours },
    passes: {
      reconcile: pointsPass(row.type, 'interval', 'reconcile'),
      list: pointsPass(row.type, 'interval', 'list'),
    },
    ...{ sweeps: daily, replaces: { intervals: [row.series] } },
    normalise: (part) => normaliseSummed(row, part),
  };
}

function sampledType({ scope, isDense, ...row }: (typeof sampled)[number]): PulledType {
  const rows: readonly [SampledRow, ...SampledRow[]] = row.type === 'vo2-max' ? [row, runVo2Max] : [row];
  return {
    ...{ isGranted: isGrantedBy(scope), follows: 'spans', longestSpanMs: isDense ? densePartMs : rangeMs },
    widen: row.shape === 'daily' ? wholeDays : wholeHours,
    passes: Object.fromEntries(rows.map(({ type, shape }) => [type, pointsPass(type, shape, 'list')])),
    sweeps: daily,
    replaces: {
      series: row.values.map(({ series }) => series),
      ...(row.dayValue === undefined ? {} : { records: ['days'] as const }),
    },
    normalise: (part) => normaliseSampled(rows, part),
  };
}

const sessions: Readonly<Record<string, PulledType>> = {
  sleep: {
    ...{ isGranted: isGrantedBy('sleep'), follows: 'spans', longestSpanMs: rangeMs, widen: startsBefore },
    passes: { list: pointsPass('sleep', 'session', 'list') },
    ...{ sweeps: daily, replaces: { records: ['sleeps'] }, normalise: normaliseSleep },
  },
  exercise: {
    ...{ isGranted: isGrantedBy('activity'), follows: 'spans', longestSpanMs: rangeMs, widen: startsBefore },
    passes: { list: pointsPass('exercise', 'session', 'list') },
    ...{ sweeps: daily, replaces: { records: ['workouts'] }, normalise: normaliseExercise },
  },
};

/** The data types that are read. */
export const dataTypes: Readonly<Record<string, PulledType>> = {
  ...Object.fromEntries(summed.map((row) => [row.type, summedType(row)])),
  ...Object.fromEntries(sampled.map((row) => [row.type, sampledType(row)])),
  ...sessions,
};

/** The name of the type that a notification of a data type leads to. */
export function typeOf(dataType: string): string {
  const name = dataType.toLowerCase().replaceAll('_', '-');
  return name === runVo2Max.type ? 'vo2-max' : name;
}
