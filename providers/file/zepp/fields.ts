import {
  assumed,
  decides,
  each,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../../domain/provider/field-table.ts';

const isPart = 'a part of the distance';

/** A row of `ACTIVITY`. */
export const dayFields: FieldTable = {
  date: kept(null, 'date', 'key'),
  steps: kept('count', 'day.steps'),
  distance: kept('m', 'day.distance_meters'),
  calories: notKept('no description says whether they are of the whole day', 'kcal'),
  runDistance: notKept(isPart, 'm'),
  ...assumed({ lastSyncTime: notKept('the time of the last synchronisation') }),
};

/** A row of `SPORT`. -1 is no value. */
const workoutFields: FieldTable = {
  type: kept(null, 'workout.raw_type', 'workout.type'),
  startTime: kept('ISO 8601', 'start_time', 'key'),
  'sportTime(s)': kept('s', 'end_time', 'duration_seconds'),
  'distance(m)': kept('m', 'workout.distance_meters'),
  'calories(kcal)': kept('kcal', 'workout.calories_kcal'),
  ...each(notKept('follows from the distance', 's/m'), 'avgPace(/meter)'),
  ...each(
    notKept('no description says which of them is the fast one', 's/m'),
    'maxPace(/meter)',
    'minPace(/meter)',
  ),
};

/** A row of `SLEEP`. */
export const sleepFields: FieldTable = {
  date: decides(null, 'key'),
  start: decides('ISO 8601', 'start_time'),
  stop: decides('ISO 8601', 'end_time'),
  deepSleepTime: kept('min', 'sleep.deep_seconds'),
  shallowSleepTime: kept('min', 'sleep.light_seconds'),
  REMTime: kept('min', 'sleep.rem_seconds'),
  wakeTime: kept('min', 'sleep.awake_seconds'),
  naps: notKept('no description of their form is known'),
  ...assumed({ lastSyncTime: notKept('the time of the last synchronisation') }),
};

/** Rows of nights. What the minutes say of a night has its offset. */
const nightFields: FieldTable = {
  ...under('SLEEP[]', sleepFields),
  ...under('SLEEP_MINUTE[]', {
    date: kept('local time', 'sleep.stage_intervals', 'zone_offset'),
    time: kept('local time', 'sleep.stage_intervals'),
    stage: kept(null, 'sleep.stage_intervals'),
    hr: decides('bpm', 'sleep.stage_intervals'),
    respiratory_rate: kept('breaths/min', 'series.respiratory_rate'),
  }),
  ...under('HEARTRATE_AUTO[]', {
    date: kept('local time', 'series.heart_rate'),
    time: kept('local time', 'series.heart_rate'),
    heartRate: kept('bpm', 'series.heart_rate'),
  }),
};

/** The columns of tables with values at a time in UTC, by the names of the tables. 0 was not measured. */
export const measuredRows = {
  HEARTRATE: { heartRate: kept('bpm', 'series.heart_rate') },
  BODY: {
    weight: kept('kg', 'series.weight'),
    height: kept('cm', 'series.height'),
    bmi: kept('kg/m2', 'series.body_mass_index'),
    fatRate: kept('percent', 'series.body_fat_percentage'),
    bodyWaterRate: kept('percent', 'series.body_water_percentage'),
    boneMass: kept('kg', 'series.bone_mass'),
    visceralFat: kept('score', 'series.visceral_fat_rating'),
    metabolism: kept('kcal/day', 'series.basal_metabolic_rate'),
    muscleRate: notKept('no description says whether it is a mass or a share'),
  },
} as const satisfies Readonly<Record<string, FieldTable>>;

/** The fields of the archive. */
export const zeppFields = {
  zeppDays: dayFields,
  zeppWorkouts: workoutFields,
  zeppNights: nightFields,
  zeppValues: {
    ...under('ACTIVITY_MINUTE[]', {
      date: kept('local time', 'series.steps'),
      time: kept('local time', 'series.steps'),
      steps: kept('count', 'series.steps'),
    }),
    ...under('HEARTRATE[]', { time: kept('ISO 8601', 'start_time'), ...measuredRows.HEARTRATE }),
    ...under('BODY[]', { time: kept('ISO 8601', 'start_time'), ...measuredRows.BODY }),
  },
} as const;
