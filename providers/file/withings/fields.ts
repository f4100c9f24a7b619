import { parseJson } from '../../../domain/json/json-bounds.ts';
import {
  absentAs,
  assumed,
  computed,
  decides,
  each,
  extra,
  type FieldReader,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../../domain/provider/field-table.ts';
import { measured } from '../elements.ts';

/** The value of a cell that has JSON; null if it cannot be read. */
export function jsonIn(cell: string | undefined): unknown {
  try {
    return cell === undefined ? null : parseJson(cell);
  } catch {
    return null;
  }
}

/** `+00:00` may be a placeholder, as in other exports: it is no offset of the user's clock. */
const instant: FieldReader = (text) => String(text).replace(/\+00:00$/, 'Z');

const masses = (unit: 'kg' | 'lb'): FieldTable => ({
  [`Weight (${unit})`]: kept(unit, 'series.weight'),
  [`Fat mass (${unit})`]: kept(unit, 'series.body_fat_mass'),
  [`Bone mass (${unit})`]: kept(unit, 'series.bone_mass'),
  [`Muscle mass (${unit})`]: kept(unit, 'series.skeletal_muscle_mass'),
  [`Hydration (${unit})`]: kept(unit, 'series.body_water_mass'),
});

/** The columns of tables with values at a time of the user's clock, by the names of the tables. */
export const measuredRows = {
  weight: { ...masses('kg'), ...masses('lb') },
  bp: {
    Systolic: kept('mmHg', 'series.blood_pressure_systolic'),
    Diastolic: kept('mmHg', 'series.blood_pressure_diastolic'),
    'Heart rate': kept('bpm', 'series.heart_rate'),
  },
} as const satisfies Readonly<Record<string, FieldTable>>;

/** A row of `sleep`. A tracker that knows no REM sleep has 0. */
export const sleepFields: FieldTable = {
  from: computed(instant, 'ISO 8601', 'start_time', 'key'),
  to: computed(instant, 'ISO 8601', 'end_time'),
  'light (s)': kept('s', 'sleep.light_seconds'),
  'deep (s)': kept('s', 'sleep.deep_seconds'),
  'rem (s)': computed(measured, 's', 'sleep.rem_seconds'),
  ...assumed({
    'awake (s)': kept('s', 'sleep.awake_seconds'),
    'wake up': kept('count', 'sleep.interruptions'),
    'Duration to sleep (s)': kept('s', 'sleep.latency_seconds'),
    ...absentAs([0], each(extra('bpm'), 'Average heart rate', 'Heart rate (min)', 'Heart rate (max)')),
    ...each(extra('s'), 'Duration to wake up (s)', 'Snoring (s)'),
    'Snoring episodes': extra('count'),
    ...each(notKept('no description of its form is known'), 'Night events', 'Notes'),
  }),
};

/** A row of `activities`, with the JSON of its cell. */
export const workoutFields: FieldTable = {
  from: computed(instant, 'ISO 8601', 'start_time', 'key'),
  to: computed(instant, 'ISO 8601', 'end_time'),
  'Activity type': kept(null, 'workout.raw_type', 'workout.type'),
  GPS: notKept('no description of its form is known'),
  ...assumed({
    ...under('Data', {
      calories: computed(measured, 'kcal', 'workout.calories_kcal'),
      distance: computed(measured, 'm', 'workout.distance_meters'),
      steps: computed(measured, 'steps', 'workout.steps'),
      hr_average: computed(measured, 'bpm', 'workout.avg_heart_rate_bpm'),
      hr_max: computed(measured, 'bpm', 'workout.max_heart_rate_bpm'),
      hr_min: computed(measured, 'bpm', 'details.min_heart_rate_bpm'),
    }),
    ...each(notKept('set by the user'), 'from (manual)', 'to (manual)'),
    Timezone: notKept('the times have offsets'),
    Modified: notKept('the time of the record at the provider'),
  }),
};

/** The series of tables of values with their lengths, by what the names of the tables end in. */
export const rawSeries = { hr: 'heart_rate', steps: 'steps', distance: 'distance_walking_running' } as const;

/** The totals of a day, by the names of the tables. */
export const totalFields: FieldTable = {
  aggregates_steps: kept('steps', 'day.steps'),
  aggregates_distance: kept('m', 'day.distance_meters'),
  aggregates_calories_earned: kept('kcal', 'day.active_calories_kcal'),
};

/** The fields of the archive. */
export const withingsFields = {
  withingsSleeps: sleepFields,
  withingsWorkouts: workoutFields,
  withingsValues: {
    ...under('weight[]', {
      Date: kept('local time', 'series.weight'),
      ...measuredRows.weight,
      Comments: notKept('free text of the user'),
    }),
    ...under('bp[]', {
      Date: kept('local time', 'series.blood_pressure_systolic'),
      ...measuredRows.bp,
      Comments: notKept('free text of the user'),
    }),
    ...Object.fromEntries(
      Object.entries(rawSeries).flatMap(([name, series]) => [
        [`raw_tracker_${name}[].start`, kept('ISO 8601', `series.${series}`)],
        [`raw_tracker_${name}[].duration`, decides('s', `series.${series}`)],
        [`raw_tracker_${name}[].value`, kept(null, `series.${series}`)],
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(totalFields).flatMap(([name, field]) => [
        [`${name}[].date`, kept(null, 'date', 'key')],
        [`${name}[].value`, field],
      ]),
    ),
  },
} as const;
