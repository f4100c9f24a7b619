import { type SeriesType, seriesTypes } from '../records/series.ts';
import type { Code } from './coding.ts';
import { type RecordName, recordCodes } from './record-codes.ts';
import { seriesCodes } from './series-codes.ts';

/*
 * What one Observation is made of: the samples of a series on a local day, one sample, a panel, or one value of a record.
 * Each kind has a name. Those of series are the names of their types.
 */

/** The measures of a workout, each an Observation of its own, with the column that holds the value. */
export const workoutMeasures = {
  workout_duration: 'duration_seconds',
  workout_calories: 'calories_kcal',
  workout_avg_heart_rate: 'avg_heart_rate_bpm',
  workout_max_heart_rate: 'max_heart_rate_bpm',
  workout_steps: 'steps',
  workout_distance: 'distance_meters',
  workout_elevation_gain: 'elevation_gain_meters',
} as const satisfies Partial<Record<RecordName, string>>;

/** The totals of a provider's local day, with the column that holds the value. */
export const dayMeasures = {
  day_steps: 'steps',
  day_distance: 'distance_meters',
  day_floors: 'floors_climbed',
  day_active_time: 'active_seconds',
  day_moderate_time: 'moderate_seconds',
  day_vigorous_time: 'vigorous_seconds',
  day_active_calories: 'active_calories_kcal',
  day_basal_calories: 'basal_calories_kcal',
  day_avg_heart_rate: 'avg_heart_rate_bpm',
  day_min_heart_rate: 'min_heart_rate_bpm',
  day_max_heart_rate: 'max_heart_rate_bpm',
  day_pushes: 'pushes',
  day_consumed_calories: 'consumed_calories_kcal',
} as const satisfies Partial<Record<RecordName, string>>;

/** The stages of a sleep, components of its Observation, with the column that holds the seconds. */
export const sleepStages = {
  sleep_deep: 'deep_seconds',
  sleep_light: 'light_seconds',
  sleep_rem: 'rem_seconds',
  sleep_awake: 'awake_seconds',
} as const satisfies Partial<Record<RecordName, string>>;

/** The series types that the panel of the blood pressure has as components. */
export const pressureTypes = ['blood_pressure_systolic', 'blood_pressure_diastolic'] as const;
type PressureType = (typeof pressureTypes)[number];

type WorkoutName = 'workout' | 'workout_activity' | keyof typeof workoutMeasures;
type DayName = keyof typeof dayMeasures;

/** The kind of an Observation. */
export type ObservedName =
  | Exclude<SeriesType, PressureType>
  | 'blood_pressure'
  | 'sleep'
  | WorkoutName
  | DayName;

const isPressure = (type: SeriesType): type is PressureType => pressureTypes.some((one) => one === type);

/** All kinds of Observations. */
export const observedNames: readonly ObservedName[] = [
  ...seriesTypes.filter((type) => !isPressure(type)),
  'blood_pressure',
  'sleep',
  'workout',
  'workout_activity',
  ...keysOf(workoutMeasures),
  ...keysOf(dayMeasures),
];

/** The code of a kind of Observations, or of a component. */
export function codeOf(name: SeriesType | RecordName): Code {
  return isRecordName(name) ? recordCodes[name] : seriesCodes[name];
}

function isRecordName(name: string): name is RecordName {
  return Object.hasOwn(recordCodes, name);
}

/** The keys of an object that has no others. */
export function keysOf<K extends string>(table: Readonly<Record<K, unknown>>): K[] {
  const isKey = (key: string): key is K => Object.hasOwn(table, key);
  return Object.keys(table).filter(isKey);
}
