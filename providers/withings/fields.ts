import { assumed, extra, type FieldTable, kept, notKept, under } from '../../domain/provider/field-table.ts';
import { measureTypes } from './normalise/measure-types.ts';
import { sleepData } from './sleep-fields.ts';

const onlyRead = 'used to read, not part of a record';
const ofDevice = 'describes the device, which the source names';

const device: FieldTable = assumed({
  hash_deviceid: notKept(ofDevice),
  model_id: notKept(ofDevice),
});
const rowDevice: FieldTable = { ...device, ...assumed({ model: kept(null, 'source') }) };
const zone = kept(null, 'zone_offset');

/** A group of measures. The types of measures have a table of their own. */
const measures: FieldTable = {
  grpid: kept(null, 'key'),
  attrib: kept(null, 'source'),
  date: kept('s', 'start_time'),
  created: notKept(onlyRead),
  modified: notKept(onlyRead),
  category: notKept('tells goals, which are left out, from measurements'),
  deviceid: notKept(ofDevice),
  'measures[].value': kept('as `unit`', 'series.weight'),
  'measures[].type': kept(null, 'series.weight'),
  'measures[].unit': kept('power of 10', 'series.weight'),
  ...rowDevice,
  ...assumed({
    timezone: zone,
    modelid: notKept(ofDevice),
    comment: notKept('written by the user, and may name places or people'),
    'measures[].algo': notKept('a figure of the sensor without a unit'),
    'measures[].fm': notKept('a figure of the sensor without a unit'),
    'measures[].apppfmid': notKept('the app in which a value was typed'),
    'measures[].appliver': notKept('the app in which a value was typed'),
    'measures[].position': notKept('a part of the body: the types that are kept are of the whole of it'),
  }),
};

/** Our documentation of the provider names the types up to this one. */
const lastConfirmed = 138;

/** The series of each type of measures, by number. */
const measureTypeFields: FieldTable = Object.fromEntries(
  Object.entries(measureTypes).map(([type, { series }]) => {
    const one = kept('as `unit`', `series.${series}`);
    return [type, Number(type) > lastConfirmed ? { ...one, assumed: true } : one];
  }),
);

const zones: FieldTable = {
  hr_zone_0: kept('s', 'day_values.heart_rate_zone_seconds'),
  hr_zone_1: kept('s', 'day_values.heart_rate_zone_seconds'),
  hr_zone_2: kept('s', 'day_values.heart_rate_zone_seconds'),
  hr_zone_3: kept('s', 'day_values.heart_rate_zone_seconds'),
};

/** The totals of a day. */
const days: FieldTable = {
  date: kept(null, 'date', 'key'),
  timezone: zone,
  deviceid: kept(null, 'key'),
  brand: kept(null, 'source'),
  is_tracker: kept(null, 'source'),
  modified: notKept(onlyRead),
  steps: kept('count', 'day.steps'),
  distance: kept('m', 'day.distance_meters'),
  elevation: kept('floors', 'day.floors_climbed'),
  soft: kept('s', 'day.active_seconds', 'day_values.light_activity_seconds'),
  moderate: kept('s', 'day.active_seconds', 'day.moderate_seconds'),
  intense: kept('s', 'day.active_seconds', 'day.vigorous_seconds'),
  calories: kept('kcal', 'day.active_calories_kcal', 'day.basal_calories_kcal'),
  totalcalories: kept('kcal', 'day.basal_calories_kcal'),
  hr_average: kept('bpm', 'day.avg_heart_rate_bpm'),
  hr_min: kept('bpm', 'day.min_heart_rate_bpm'),
  hr_max: kept('bpm', 'day.max_heart_rate_bpm'),
  ...zones,
  ...rowDevice,
  ...assumed({
    active: notKept('the sum of `moderate` and `intense`', 's'),
    modelid: notKept(ofDevice),
  }),
};

/** Activity within a day. `epoch` is the key of an entry. */
const intraday: FieldTable = {
  epoch: kept('s', 'start_time'),
  steps: kept('count', 'series.steps'),
  distance: kept('m', 'series.distance_walking_running'),
  calories: kept('kcal', 'series.energy'),
  duration: kept('s', 'end_time'),
  heart_rate: kept('bpm', 'series.heart_rate'),
  ...rowDevice,
  ...assumed({
    deviceid: kept(null, 'source'),
    elevation: kept('floors', 'series.flights_climbed'),
    stroke: kept('count', 'series.swimming_stroke_count'),
    pool_lap: notKept('the workout has its laps', 'count'),
  }),
};

/** A workout. */
const workouts: FieldTable = {
  id: kept(null, 'key'),
  category: kept(null, 'workout.type', 'workout.raw_type'),
  timezone: zone,
  startdate: kept('s', 'start_time'),
  enddate: kept('s', 'end_time', 'workout.duration_seconds'),
  modified: notKept(onlyRead),
  ...device,
  ...assumed({
    attrib: kept(null, 'workout.manual'),
    model: kept(null, 'source'),
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
    pause_duration: kept('s', 'workout.moving_seconds'),
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

/** A night. Its stages have a table of their own. */
const sleep: FieldTable = {
  id: kept(null, 'key'),
  timezone: zone,
  startdate: kept('s', 'start_time'),
  enddate: kept('s', 'end_time'),
  date: kept(null, 'date'),
  model: kept(null, 'source'),
  completed: kept(null, 'sleep.validation', 'sleep.rank'),
  modified: notKept(onlyRead),
  ...device,
  ...assumed({ created: notKept(onlyRead) }),
  ...under('data', sleepData),
};

/** A time in one stage. */
const stages: FieldTable = {
  startdate: kept('s', 'sleep.stage_intervals'),
  enddate: kept('s', 'sleep.stage_intervals'),
  state: kept(null, 'sleep.stage_intervals'),
  hr: kept('bpm', 'series.heart_rate'),
  rr: kept('breaths/min', 'series.respiratory_rate'),
  snoring: notKept('the catalogue has no such series; the night has the time', 's'),
  ...assumed({ model: notKept(ofDevice) }),
};

/** The fields of all calls. */
export const fields = {
  ...{ measures, measureTypes: measureTypeFields, days, intraday, workouts, sleep, stages },
} as const satisfies Readonly<Record<string, FieldTable>>;
