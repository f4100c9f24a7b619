import {
  assumed,
  computed,
  decides,
  extra,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import type { Item } from '../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../domain/recipe/record-type.ts';
import type { WorkoutType } from '../../domain/records/workout-types.ts';
import {
  device,
  deviceName,
  isReadable,
  ofDevice,
  onlyRead,
  unknownDevice,
  wholeWithin,
  zoneAt,
} from './rows.ts';

/** Categories of workouts by number: the name and the workout type. */
const categories: Readonly<Record<string, readonly [name: string, type: WorkoutType]>> = {
  1: ['Walk', 'walking'],
  2: ['Run', 'running'],
  3: ['Hiking', 'hiking'],
  6: ['Bicycling', 'cycling'],
  7: ['Swimming', 'swimming'],
  16: ['Weights', 'strength_training'],
  17: ['Fitness', 'strength_training'],
  18: ['Elliptical', 'elliptical'],
  19: ['Pilates', 'pilates'],
  28: ['Yoga', 'yoga'],
  36: ['Other', 'other'],
  187: ['Rowing', 'rowing'],
  306: ['Indoor walk', 'walking'],
  307: ['Indoor run', 'running'],
  308: ['Indoor cycling', 'cycling'],
  498: ['Trail run', 'running'],
};
/** The category of rows that are no activity. */
const noActivity = 128;
const enteredByUser = 2;
/** A workout is shorter, and so are its pauses. */
const longestSeconds = 31 * 86_400;

const fields: FieldTable = {
  id: kept(null, 'key'),
  category: decides(null, 'workout.type', 'workout.raw_type'),
  timezone: zoneAt('startdate'),
  startdate: kept('s', 'start_time'),
  enddate: kept('s', 'end_time', 'workout.duration_seconds'),
  modified: notKept(onlyRead),
  ...device,
  ...assumed({
    attrib: computed(
      (attrib) => (typeof attrib === 'number' ? attrib === enteredByUser : null),
      null,
      'workout.manual',
    ),
    model: deviceName,
    date: notKept('the day of the start'),
    deviceid: notKept(ofDevice),
  }),
  ...under('data', {
    calories: kept('kcal', 'workout.calories_kcal'),
    distance: kept('m', 'workout.distance_meters'),
    steps: kept('count', 'workout.steps'),
    hr_average: kept('bpm', 'workout.avg_heart_rate_bpm'),
    hr_min: kept('bpm', 'details.min_heart_rate_bpm'),
    hr_max: kept('bpm', 'workout.max_heart_rate_bpm'),
    pause_duration: computed(
      (pause, { startdate, enddate }) => {
        const seconds = wholeWithin(pause, 0, longestSeconds);
        return seconds === null ? null : Math.max(0, Number(enddate) - Number(startdate) - seconds);
      },
      's',
      'workout.moving_seconds',
    ),
    pool_laps: kept('count', 'details.swim_lengths'),
    strokes: kept('count', 'details.swim_strokes'),
    hr_zone_0: extra('s'),
    hr_zone_1: extra('s'),
    hr_zone_2: extra('s'),
    hr_zone_3: extra('s'),
    ...assumed({
      elevation: extra('floors'),
      intensity: extra('count'),
      pool_length: kept('m', 'details.pool_length_meters'),
      algo_pause_duration: extra('s'),
      manual_distance: extra('m'),
      manual_calories: extra('kcal'),
      spo2_average: extra('percent'),
    }),
  }),
};

function named(draft: Draft, { category }: Item): Draft | string {
  if (category === noActivity) return 'no_activity';
  if (!isReadable(draft) || typeof category !== 'number') return 'unreadable';
  const [name, type] = categories[category] ?? ['Workout', 'other'];
  const raw_type = String(category);
  return { ...draft, workout: { ...draft.workout, raw_type, type, name, plain_name: true } };
}

/** Recorded and detected workouts. */
export const workouts: RecordType = {
  fields,
  device: unknownDevice,
  extraAt: ['data'],
  complete: named,
};
