import { type Item, isItem, numberOf } from '../../domain/recipe/read-fields.ts';
import type { SummedType } from '../../domain/records/interval-records.ts';
import type { SeriesType } from '../../domain/records/series.ts';

/** A summed type: the member of a point with its value, and the path and unit of the number in it. */
export interface SummedRow {
  readonly type: string;
  readonly member: string;
  readonly series: SummedType;
  readonly path: string;
  readonly unit: string;
  /** Reads a number that precedes the one at the path. Null: the one at the path counts. */
  readonly read?: (value: Item) => number | null;
}

/** A type of samples, or of values of a day: the member of a point, and the series of each of its numbers. */
export interface SampledRow {
  readonly type: string;
  readonly member: string;
  readonly shape: 'sample' | 'daily';
  readonly values: readonly { readonly series: SeriesType; readonly path: string; readonly unit: string }[];
  /** The value of a day that the first value is as well. */
  readonly dayValue?: 'resting_heart_rate_bpm';
}

// Minutes of moderate and vigorous activity, if they are a list by level.
function activeMinutes({ activeMinutesByActivityLevel: levels }: Item): number | null {
  if (!Array.isArray(levels)) return null;
  const counted = levels.filter(isItem).filter(({ activityLevel }) => activityLevel !== 'LIGHT');
  return counted.reduce((sum, { activeMinutes: minutes }) => sum + (numberOf(minutes) ?? 0), 0);
}

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

/** A scope of data. */
export type DataScope = keyof typeof dataScopes;

/** Types of summed intervals. */
export const summed: readonly (SummedRow & { readonly scope: DataScope })[] = [
  { type: 'steps', member: 'steps', series: 'steps', path: 'count', unit: 'count', scope: 'activity' },
  {
    ...{ type: 'distance', member: 'distance', series: 'distance_walking_running', scope: 'activity' },
    ...{ path: 'millimeters', unit: 'mm' },
  },
  {
    type: 'floors',
    member: 'floors',
    series: 'flights_climbed',
    path: 'count',
    unit: 'count',
    scope: 'activity',
  },
  {
    ...{ type: 'active-energy-burned', member: 'activeEnergyBurned', series: 'energy', scope: 'activity' },
    ...{ path: 'kcal', unit: 'kcal' },
  },
  {
    ...{ type: 'basal-energy-burned', member: 'basalEnergyBurned', series: 'basal_energy' },
    ...{ path: 'kcal', unit: 'kcal', scope: 'activity' },
  },
  {
    ...{ type: 'active-minutes', member: 'activeMinutes', series: 'exercise_time', scope: 'activity' },
    ...{ path: 'activeMinutes', unit: 'min', read: activeMinutes },
  },
  {
    ...{ type: 'hydration-log', member: 'hydrationLog', series: 'hydration', scope: 'nutrition' },
    ...{ path: 'amountConsumed.milliliters', unit: 'mL' },
  },
];

/** Types of samples and of values of a day. */
export const sampled: readonly (SampledRow & { readonly scope: DataScope; readonly isDense?: true })[] = [
  {
    ...{ type: 'heart-rate', member: 'heartRate', shape: 'sample', scope: 'metrics', isDense: true },
    values: [{ series: 'heart_rate', path: 'beatsPerMinute', unit: 'bpm' }],
  },
  {
    ...{
      type: 'daily-resting-heart-rate',
      member: 'dailyRestingHeartRate',
      shape: 'daily',
      scope: 'metrics',
      dayValue: 'resting_heart_rate_bpm',
    },
    values: [{ series: 'resting_heart_rate', path: 'beatsPerMinute', unit: 'bpm' }],
  },
  {
    ...{ type: 'heart-rate-variability', member: 'heartRateVariability', shape: 'sample', scope: 'metrics' },
    values: [
      {
        series: 'heart_rate_variability_rmssd',
        path: 'rootMeanSquareOfSuccessiveDifferencesMilliseconds',
        unit: 'ms',
      },
      { series: 'heart_rate_variability_sdnn', path: 'standardDeviationMilliseconds', unit: 'ms' },
    ],
  },
  {
    ...{ type: 'oxygen-saturation', member: 'oxygenSaturation', shape: 'sample', scope: 'metrics' },
    values: [{ series: 'oxygen_saturation', path: 'percentage', unit: 'percent' }],
  },
  {
    ...{ type: 'daily-respiratory-rate', member: 'dailyRespiratoryRate', shape: 'daily', scope: 'metrics' },
    values: [{ series: 'respiratory_rate', path: 'breathsPerMinute', unit: 'breaths/min' }],
  },
  {
    ...{ type: 'daily-sleep-temperature-derivations', member: 'dailySleepTemperatureDerivations' },
    ...{ shape: 'daily', scope: 'metrics' },
    values: [{ series: 'skin_temperature', path: 'nightlyTemperatureCelsius', unit: 'celsius' }],
  },
  {
    ...{ type: 'core-body-temperature', member: 'coreBodyTemperature', shape: 'sample', scope: 'metrics' },
    values: [{ series: 'body_temperature', path: 'celsius', unit: 'celsius' }],
  },
  {
    ...{ type: 'blood-glucose', member: 'bloodGlucose', shape: 'sample', scope: 'metrics' },
    values: [{ series: 'blood_glucose', path: 'bloodGlucoseMilligramsPerDeciliter', unit: 'mg/dL' }],
  },
  {
    ...{ type: 'weight', member: 'weight', shape: 'sample', scope: 'metrics' },
    values: [{ series: 'weight', path: 'weightGrams', unit: 'g' }],
  },
  {
    ...{ type: 'body-fat', member: 'bodyFat', shape: 'sample', scope: 'metrics' },
    values: [{ series: 'body_fat_percentage', path: 'percentage', unit: 'percent' }],
  },
  {
    ...{ type: 'height', member: 'height', shape: 'sample', scope: 'metrics' },
    values: [{ series: 'height', path: 'heightMillimeters', unit: 'mm' }],
  },
  {
    ...{ type: 'vo2-max', member: 'vo2Max', shape: 'sample', scope: 'activity' },
    values: [{ series: 'vo2_max', path: 'vo2Max', unit: 'ml/kg/min' }],
  },
];

/** Estimates from runs. They are of the same series as `vo2-max`, so both are read together. */
export const runVo2Max: SampledRow = {
  ...{ type: 'run-vo2-max', member: 'runVo2Max', shape: 'sample' },
  values: [{ series: 'vo2_max', path: 'runVo2Max', unit: 'ml/kg/min' }],
};
