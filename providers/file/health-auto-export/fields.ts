import {
  assumed,
  computed,
  decides,
  each,
  type FieldReader,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../../domain/provider/field-table.ts';
import { numberOf } from '../../../domain/recipe/read-fields.ts';
import type { DayRecord } from '../../../domain/records/records.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { minuteMs } from '../../../domain/time/time.ts';

/** The series of metrics that are measured, by their names, and of a metric with parts by its name and the part. */
export const measuredSeries: Readonly<Record<string, SeriesType>> = {
  heart_rate: 'heart_rate',
  resting_heart_rate: 'resting_heart_rate',
  walking_heart_rate_average: 'walking_heart_rate_average',
  heart_rate_variability: 'heart_rate_variability_sdnn',
  respiratory_rate: 'respiratory_rate',
  blood_oxygen_saturation: 'oxygen_saturation',
  blood_glucose: 'blood_glucose',
  'blood_pressure systolic': 'blood_pressure_systolic',
  'blood_pressure diastolic': 'blood_pressure_diastolic',
  body_temperature: 'body_temperature',
  weight_body_mass: 'weight',
  weight: 'weight',
  body_fat_percentage: 'body_fat_percentage',
  body_mass_index: 'body_mass_index',
  lean_body_mass: 'lean_body_mass',
  height: 'height',
  waist_circumference: 'waist_circumference',
  vo2_max: 'vo2_max',
};

/** Totals of a day and their units, by the names of metrics that are sums. */
export const dayTotals: Readonly<Record<string, { readonly end: keyof DayRecord; readonly unit: string }>> = {
  step_count: { end: 'steps', unit: 'count' },
  walking_running_distance: { end: 'distance_meters', unit: 'meters' },
  flights_climbed: { end: 'floors_climbed', unit: 'count' },
  active_energy: { end: 'active_calories_kcal', unit: 'kcal' },
  basal_energy_burned: { end: 'basal_calories_kcal', unit: 'kcal' },
  resting_energy: { end: 'basal_calories_kcal', unit: 'kcal' },
};

/** A time of the clock, in milliseconds as if it were UTC, with the offset that stands beside it. */
interface ClockTime {
  readonly localMs: number;
  readonly offset: number | null;
}

const clockTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?(?: ?([+-])(\d\d):?(\d\d))?$/;

/** Reads `yyyy-MM-dd HH:mm:ss +0100`, of which tables lack the offset; null if it is no time. */
export function clockTimeIn(text: unknown): ClockTime | null {
  const [, date, time = '00:00', sign, hours, minutes] =
    clockTime.exec(typeof text === 'string' ? text.trim() : '') ?? [];
  const localMs = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(localMs)) return null;
  const offset =
    hours === undefined ? null : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return { localMs, offset };
}

/** The instant of a time; without an offset that of its clock. */
export const instantOf = ({ localMs, offset }: ClockTime): number => localMs - (offset ?? 0) * minuteMs;

/** Times of a night without stages, or with 0 in each of them, say nothing of the stages. */
const staged: FieldReader = (value, { core, deep, rem }) =>
  [core, deep, rem].some((hours) => (numberOf(hours) ?? 0) > 0) ? (numberOf(value) ?? 0) * 3600 : null;

const someHours: FieldReader = (value) => ((numberOf(value) ?? 0) > 0 ? (numberOf(value) ?? 0) * 3600 : null);

/** A night of `sleep_analysis`, with times in hours. */
export const nightFields: FieldTable = {
  sleepStart: decides(null, 'start_time', 'zone_offset', 'key'),
  sleepEnd: decides(null, 'end_time'),
  totalSleep: computed(someHours, null, 'sleep.asleep_seconds'),
  asleep: computed(someHours, null, 'sleep.asleep_seconds'),
  core: computed(staged, null, 'sleep.light_seconds'),
  deep: computed(staged, null, 'sleep.deep_seconds'),
  rem: computed(staged, null, 'sleep.rem_seconds'),
  awake: computed((value) => (numberOf(value) ?? 0) * 3600, null, 'sleep.awake_seconds'),
  ...each(notKept('the times in bed are those of another device'), 'inBed', 'inBedStart', 'inBedEnd'),
  date: notKept('the day of waking up follows from the times'),
  source: notKept('the names of several devices'),
};

const quantity = (end: Parameters<typeof kept>[1]): FieldTable => ({
  qty: kept('of `units`', end),
  units: kept(null, end),
});

/** A workout, of which quantities have their units. */
const workoutFields: FieldTable = {
  name: kept(null, 'workout.raw_type', 'workout.type'),
  start: kept(null, 'start_time', 'zone_offset'),
  end: kept(null, 'end_time'),
  ...assumed({
    ...under('activeEnergyBurned', quantity('workout.calories_kcal')),
    ...under('distance', quantity('workout.distance_meters')),
    ...under('elevationUp', quantity('workout.elevation_gain_meters')),
    ...under('avgHeartRate', quantity('workout.avg_heart_rate_bpm')),
    ...under('maxHeartRate', quantity('workout.max_heart_rate_bpm')),
    isIndoor: kept(null, 'details.indoor'),
    ...under('heartRateData[]', {
      date: kept(null, 'streams.heart_rate', 'series.heart_rate'),
      Avg: kept('bpm', 'streams.heart_rate', 'series.heart_rate'),
    }),
    ...under('route[]', {
      timestamp: kept(null, 'streams.latitude'),
      latitude: kept('degrees', 'streams.latitude'),
      longitude: kept('degrees', 'streams.longitude'),
      altitude: kept('m', 'streams.altitude'),
    }),
    id: notKept('no other source has it'),
    duration: notKept('the time between start and end'),
    heartRate: notKept('the mean and the maximum stand beside it'),
    ...each(notKept('no unit is known'), 'intensity', 'speed', 'temperature', 'humidity'),
    ...each(notKept('sums of minutes'), 'activeEnergy', 'stepCount', 'walkingAndRunningDistance'),
    heartRateRecovery: notKept('the heart rates after the workout'),
  }),
};

/** The fields of the documents. */
export const healthAutoExportFields = {
  autoExportMetrics: {
    ...under('metrics[]', {
      name: kept(null, 'series.heart_rate', 'series.weight', 'day.steps'),
      units: kept(null, 'series.weight', 'day.distance_meters'),
    }),
    ...under('metrics[].data[]', {
      date: kept(null, 'start_time', 'date', 'series.weight'),
      qty: kept(
        'of `units`',
        'series.weight',
        'day.steps',
        'day.distance_meters',
        'day.floors_climbed',
        'day.active_calories_kcal',
        'day.basal_calories_kcal',
      ),
      Avg: kept('bpm', 'series.heart_rate', 'day.avg_heart_rate_bpm'),
      Min: kept('bpm', 'day.min_heart_rate_bpm'),
      Max: kept('bpm', 'day.max_heart_rate_bpm'),
      systolic: kept('mmHg', 'series.blood_pressure_systolic'),
      diastolic: kept('mmHg', 'series.blood_pressure_diastolic'),
      source: notKept('the names of several devices'),
    }),
  },
  autoExportNights: nightFields,
  autoExportWorkouts: workoutFields,
} as const;
