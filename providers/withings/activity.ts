import {
  assumed,
  computed,
  decides,
  each,
  extra,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import type { Item } from '../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../domain/recipe/record-type.ts';
import type { DeviceType } from '../../domain/records/interval-records.ts';
import type { WorkoutType } from '../../domain/records/workout-types.ts';
import { dateToMs, dayMs, hourMs, isoTime } from '../../domain/time/time.ts';
import { midnightIn, offsetMinutesIn } from '../../domain/time/zone.ts';
import {
  device,
  deviceName,
  importedDevice,
  isReadable,
  ofDevice,
  onlyRead,
  rowDevice,
  textOf,
  unknownDevice,
  wholeWithin,
  zoneAt,
} from './rows.ts';

/** More is no time of a day, and no energy in kcal. */
const [mostSeconds, mostEnergy] = [100_000, 100_000];

const secondsOf = (seconds: unknown) => wholeWithin(seconds, 0, mostSeconds);

const zone = computed(
  (_, row) => {
    const zones = [row.hr_zone_0, row.hr_zone_1, row.hr_zone_2, row.hr_zone_3].map(secondsOf);
    return zones.every((seconds) => seconds === null) ? null : zones;
  },
  's',
  'day_values.heart_rate_zone_seconds',
);

const dayFields: FieldTable = {
  date: kept(null, 'date', 'key'),
  timezone: decides(null, 'zone_offset'),
  deviceid: decides(null, 'key'),
  ...each(decides(null, 'source'), 'brand', 'is_tracker'),
  modified: onlyRead,
  steps: kept('count', 'day.steps'),
  distance: kept('m', 'day.distance_meters'),
  elevation: kept('floors', 'day.floors_climbed'),
  soft: computed(secondsOf, 's', 'day.active_seconds', 'day_values.light_activity_seconds'),
  moderate: computed(secondsOf, 's', 'day.active_seconds', 'day.moderate_seconds'),
  intense: computed(secondsOf, 's', 'day.active_seconds', 'day.vigorous_seconds'),
  calories: kept('kcal', 'day.active_calories_kcal', 'day.basal_calories_kcal'),
  totalcalories: kept('kcal', 'day.basal_calories_kcal'),
  hr_average: kept('bpm', 'day.avg_heart_rate_bpm'),
  hr_min: kept('bpm', 'day.min_heart_rate_bpm'),
  hr_max: kept('bpm', 'day.max_heart_rate_bpm'),
  ...each(zone, 'hr_zone_0', 'hr_zone_1', 'hr_zone_2', 'hr_zone_3'),
  ...rowDevice,
  ...assumed({ active: notKept('the sum of `moderate` and `intense`', 's'), modelid: ofDevice }),
};

/** A day begins at midnight in its time zone. On a day on which the clocks change it has 23 or 25 hours. */
function ofDay(draft: Draft, row: Item): Draft | string {
  const { date, source = unknownDevice, day = {} } = draft;
  const start_time = date === undefined ? null : startOf(row, date);
  if (date === undefined || start_time === null) return 'unreadable';
  const endMs = startOf(row, isoTime(dateToMs(date) + dayMs).slice(0, 10)) ?? start_time + dayMs;
  const zone_offset = offsetMinutesIn(textOf(row.timezone) ?? '', start_time);
  const imported = isImported(row);
  const device = imported ? importedDevice : source;
  const { active_seconds: _, ...totals } = day;
  return {
    ...draft,
    key: `${date} ${textOf(row.deviceid) ?? device}`,
    source: device,
    start_time,
    // Of a provider's records of the same hours the longest counts. An imported row is shorter, so that it counts only on
    // days without any other.
    duration_seconds: Math.round((endMs - start_time) / 1000) - (imported ? 1 : 0),
    ...(zone_offset === null ? {} : { zone_offset }),
    day: { ...totals, basal_calories_kcal: basalOf(totals.active_calories_kcal ?? null, row.totalcalories) },
  };
}

function startOf({ timezone }: Item, date: string): number | null {
  const zone = textOf(timezone);
  return zone === null ? dateToMs(date) : midnightIn(zone, date);
}

// The total contains the active part.
function basalOf(active: number | null, total: unknown): number | null {
  return active === null || typeof total !== 'number' || total < active || total > mostEnergy
    ? null
    : total - active;
}

const importedBrand = 18;

// A row that was imported from another maker repeats data that its maker sends as well.
function isImported({ deviceid, brand, is_tracker }: Item): boolean {
  return textOf(deviceid) === null && (brand === importedBrand || is_tracker === false);
}

/** The totals of days. */
export const days: RecordType = { fields: dayFields, device: unknownDevice, complete: ofDay };

/** An entry of the map of an answer, with its key as `epoch`. One without a duration is of a single instant, such as a heart rate. */
const intradayFields: FieldTable = {
  epoch: kept('s', 'start_time'),
  steps: kept('count', 'series.steps'),
  distance: kept('m', 'series.distance_walking_running'),
  calories: kept('kcal', 'series.energy'),
  duration: computed(
    (duration, { epoch }) => {
      const seconds = wholeWithin(duration, 1, dayMs / 1000);
      return seconds === null ? null : (Number(epoch) + seconds) * 1000;
    },
    's',
    'end_time',
  ),
  heart_rate: kept('bpm', 'series.heart_rate'),
  ...rowDevice,
  ...assumed({
    deviceid: decides(null, 'source'),
    elevation: kept('floors', 'series.flights_climbed'),
    stroke: kept('count', 'series.swimming_stroke_count'),
    pool_lap: notKept('the workout has its laps', 'count'),
  }),
};

const kinds: readonly (readonly [pattern: RegExp, type: DeviceType])[] = [
  [/phone|ios|android|healthkit|google fit|samsung health|huawei/i, 'phone'],
  [/watch|activit|steel|move|pulse hr/i, 'watch'],
  [/pulse|\bgo\b/i, 'band'],
  [/body|scale|wbs|ws-?30/i, 'scale'],
];

/** Activity within a day: sums with a start and an end, and heart rates. */
export const intraday: RecordType = {
  fields: intradayFields,
  device: unknownDevice,
  // Heart rates of an hour and device are one item, so that the same answer again is recognised as stored.
  sampleItem: {
    key: ({ startMs, device }) => `${(Math.floor(startMs / hourMs) * hourMs) / 1000} ${device}`,
    seconds: hourMs / 1000,
  },
  intervals: {
    source: ({ device, item: { deviceid } }) => ({
      device_type: kinds.find(([pattern]) => pattern.test(device))?.[1] ?? 'unknown',
      device,
      device_id: textOf(deviceid),
      app: null,
    }),
    id: (type, startMs, { item: { deviceid } }) => `${type} ${startMs / 1000} ${textOf(deviceid) ?? ''}`,
  },
};

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

/** The figures of a workout. */
export const workoutData: FieldTable = {
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
  ...each(extra('s'), 'hr_zone_0', 'hr_zone_1', 'hr_zone_2', 'hr_zone_3'),
  ...assumed({
    elevation: extra('floors'),
    intensity: extra('count'),
    pool_length: kept('m', 'details.pool_length_meters'),
    algo_pause_duration: extra('s'),
    manual_distance: extra('m'),
    manual_calories: extra('kcal'),
    spo2_average: extra('percent'),
  }),
};

const workoutFields: FieldTable = {
  id: kept(null, 'key'),
  category: decides(null, 'workout.type', 'workout.raw_type'),
  timezone: zoneAt('startdate'),
  startdate: kept('s', 'start_time'),
  enddate: kept('s', 'end_time', 'workout.duration_seconds'),
  modified: onlyRead,
  ...device,
  ...assumed({
    attrib: computed(
      (attrib) => (typeof attrib === 'number' ? attrib === enteredByUser : null),
      null,
      'workout.manual',
    ),
    model: deviceName,
    date: notKept('the day of the start'),
    deviceid: ofDevice,
  }),
  ...under('data', workoutData),
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
  fields: workoutFields,
  device: unknownDevice,
  extraAt: ['data'],
  complete: named,
};
