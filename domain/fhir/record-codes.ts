import { type Code, loinc, own } from './coding.ts';

/** Seconds are sent as minutes. */
const perMinute = 1 / 60;

/** The code and the unit of what is no series: panels, sleep, workouts and the totals of days. */
export const recordCodes = {
  blood_pressure: loinc(
    '85354-9',
    'Blood pressure panel with all children optional',
    'vital-signs',
    null,
    'hl7',
  ),
  sleep: loinc('93832-4', 'Sleep duration', 'activity', 'min', 'public', perMinute),
  sleep_deep: loinc('93831-6', 'Deep sleep duration', 'activity', 'min', 'public', perMinute),
  sleep_light: loinc('93830-8', 'Light sleep duration', 'activity', 'min', 'public', perMinute),
  sleep_rem: loinc('93829-0', 'REM sleep duration', 'activity', 'min', 'public', perMinute),
  sleep_awake: own('activity', 'min', perMinute),
  sleep_is_nap: own('activity', null),
  workout: {
    coding: {
      system: 'http://hl7.org/fhir/us/physical-activity/CodeSystem/pa-temporary-codes',
      code: 'PAPanel',
      display: 'Physical Activity Panel',
      source: 'physical-activity',
    },
    category: 'activity',
    unit: null,
  },
  workout_activity: loinc('73985-4', 'Exercise activity', 'activity', null, 'physical-activity'),
  workout_duration: loinc('55411-3', 'Exercise duration', 'activity', 'min', 'physical-activity', perMinute),
  workout_calories: loinc(
    '55424-6',
    'Calories burned in unspecified time Pedometer',
    'activity',
    'kcal',
    'physical-activity',
  ),
  workout_avg_heart_rate: loinc(
    '55425-3',
    'Heart rate unspecified time mean by Pedometer',
    'activity',
    '/min',
    'physical-activity',
  ),
  workout_max_heart_rate: loinc(
    '55426-1',
    'Heart rate unspecified time maximum by Pedometer',
    'activity',
    '/min',
    'physical-activity',
  ),
  workout_steps: loinc(
    '55423-8',
    'Number of steps in unspecified time Pedometer',
    'activity',
    '{steps}',
    'healthkit-on-fhir',
  ),
  workout_distance: own('activity', 'm'),
  workout_elevation_gain: own('activity', 'm'),
  day_steps: loinc('41950-7', 'Number of steps in 24 hour Measured', 'activity', '/d', 'physical-activity'),
  day_distance: own('activity', 'm'),
  day_floors: own('activity', '{floors}'),
  day_active_time: own('activity', 'min', perMinute),
  day_moderate_time: own('activity', 'min', perMinute),
  day_vigorous_time: own('activity', 'min', perMinute),
  day_active_calories: own('activity', 'kcal'),
  day_basal_calories: own('activity', 'kcal'),
  day_avg_heart_rate: loinc('41924-2', 'Heart rate 24 hour mean', 'activity', '/min', 'public'),
  day_min_heart_rate: loinc('8883-1', 'Heart rate 24 hour minimum', 'activity', '/min', 'public'),
  day_max_heart_rate: loinc('8873-2', 'Heart rate 24 hour maximum', 'activity', '/min', 'physical-activity'),
  day_pushes: own('activity', '{pushes}'),
  day_consumed_calories: loinc(
    '9052-2',
    'Calorie intake total',
    'social-history',
    'kcal',
    'healthkit-on-fhir',
  ),
} as const satisfies Readonly<Record<string, Code>>;

export type RecordName = keyof typeof recordCodes;
