import {
  assumed,
  decides,
  extra,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../../domain/provider/field-table.ts';

const rowFields: FieldTable = {
  start_time: kept(null, 'start_time'),
  time_offset: kept(null, 'zone_offset'),
  pkg_name: kept(null, 'source'),
};
const ended: FieldTable = { ...rowFields, end_time: kept(null, 'end_time') };
/** Of a row with a value of a series. */
const valueFields: FieldTable = {
  ...rowFields,
  end_time: notKept('a value counts at the start of its time'),
};
const ofBins = notKept('the least and the most of an hour');

/** A row of `shealth.exercise`. */
export const exerciseRow: FieldTable = {
  ...ended,
  datauuid: kept(null, 'key'),
  exercise_type: kept(null, 'workout.type', 'workout.raw_type'),
  duration: kept('ms', 'workout.moving_seconds'),
  distance: kept('m', 'workout.distance_meters'),
  altitude_gain: kept('m', 'workout.elevation_gain_meters'),
  calorie: kept('kcal', 'workout.calories_kcal'),
  mean_heart_rate: kept('bpm', 'workout.avg_heart_rate_bpm'),
  max_heart_rate: kept('bpm', 'workout.max_heart_rate_bpm'),
  min_heart_rate: kept('bpm', 'details.min_heart_rate_bpm'),
  live_data: kept(null, 'streams.heart_rate'),
  location_data: kept(null, 'streams.latitude'),
  vo2_max: kept('ml/kg/min', 'series.vo2_max'),
  ...assumed({
    altitude_loss: kept('m', 'details.elevation_loss_meters'),
    mean_speed: kept('m/s', 'details.avg_speed_meters_per_second'),
    max_speed: kept('m/s', 'details.max_speed_meters_per_second'),
    comment: notKept('free text of the user'),
  }),
};

/** An element of the JSON of an exercise. Cadence counts both feet of a runner. */
export const exerciseElements: FieldTable = {
  start_time: kept(null, 'streams.heart_rate', 'streams.latitude'),
  heart_rate: kept('bpm', 'streams.heart_rate', 'series.heart_rate'),
  latitude: kept('degrees', 'streams.latitude'),
  longitude: kept('degrees', 'streams.longitude'),
  altitude: kept('m', 'streams.altitude'),
  ...assumed({
    cadence: kept('rpm', 'streams.cadence', 'series.cadence'),
    speed: kept('m/s', 'streams.speed', 'series.speed'),
    power: kept('watts', 'streams.power', 'series.power'),
    distance: notKept('no description says whether it counts from the start'),
    calorie: notKept('the row has the whole'),
    accuracy: notKept('describes the position'),
  }),
};

/** Rows of the tables of sleep. */
const nights: FieldTable = {
  ...under('sleep[]', {
    ...ended,
    datauuid: kept(null, 'key'),
    sleep_duration: notKept('the times have the length; a row without it is a goal of bedtime'),
    sleep_score: kept('0-100', 'sleep.score'),
    efficiency: extra('percent'),
    combined_id: kept(null, 'key'),
    mental_recovery: notKept('a score without a place among the series'),
    physical_recovery: notKept('a score without a place among the series'),
  }),
  ...under('sleep_stage[]', {
    sleep_id: kept(null, 'sleep.stage_intervals'),
    stage: kept(null, 'sleep.stage_intervals', 'sleep.deep_seconds'),
    start_time: kept(null, 'sleep.stage_intervals'),
    end_time: kept(null, 'sleep.stage_intervals'),
  }),
  ...under(
    'sleep_combined[]',
    assumed({ datauuid: kept(null, 'sleep.score'), sleep_score: kept('0-100', 'sleep.score') }),
  ),
};

/** Rows of days. */
const days: FieldTable = {
  ...under('step_daily_trend[]', {
    day_time: kept(null, 'date', 'key'),
    source_type: kept(null, 'day.steps'),
    count: kept('count', 'day.steps'),
    ...assumed({ distance: kept('m', 'day.distance_meters') }),
  }),
  ...under('calories_burned[]', {
    day_time: kept(null, 'day.active_calories_kcal'),
    active_calorie: kept('kcal', 'day.active_calories_kcal'),
    rest_calorie: kept('kcal', 'day.basal_calories_kcal'),
  }),
};

/** The columns of tables with a value of a series at the time of each row, by the names of the tables. */
export const valueRows = {
  oxygen_saturation: { spo2: kept('percent', 'series.oxygen_saturation') },
  respiratory_rate: {
    respiratory_rate: kept('breaths/min', 'series.respiratory_rate'),
    ...assumed({ average: kept('breaths/min', 'series.respiratory_rate') }),
  },
  skin_temperature: { temperature: kept('celsius', 'series.skin_temperature') },
  weight: {
    weight: kept('kg', 'series.weight'),
    height: kept('cm', 'series.height'),
    body_fat: kept('percent', 'series.body_fat_percentage'),
    ...assumed({ skeletal_muscle_mass: kept('kg', 'series.skeletal_muscle_mass') }),
  },
  blood_pressure: {
    systolic: kept('mmHg', 'series.blood_pressure_systolic'),
    diastolic: kept('mmHg', 'series.blood_pressure_diastolic'),
  },
  pedometer_step_count: {
    end_time: kept(null, 'end_time'),
    count: kept('count', 'series.steps'),
    distance: kept('m', 'series.distance_walking_running'),
    datauuid: kept(null, 'key'),
  },
} as const satisfies Readonly<Record<string, FieldTable>>;

/** The fields of tables whose values are in JSON of their rows, by the names of the tables. */
export const binnedRows = {
  heart_rate: { heart_rate: kept('bpm', 'series.heart_rate') },
  hrv: { rmssd: kept('ms', 'series.heart_rate_variability_rmssd') },
} as const satisfies Readonly<Record<string, FieldTable>>;

const values: FieldTable = {
  ...under('device_profile[]', {
    ...assumed({
      deviceuuid: kept(null, 'source'),
      name: kept(null, 'source'),
      device_group: kept(null, 'source'),
    }),
  }),
  ...under('heart_rate[]', {
    ...valueFields,
    ...binnedRows.heart_rate,
    datauuid: kept(null, 'zone_offset'),
    binning_data: decides(null, 'zone_offset'),
    deviceuuid: kept(null, 'source'),
    min: ofBins,
    max: ofBins,
  }),
  ...under('heart_rate (JSON)[]', {
    ...binnedRows.heart_rate,
    start_time: kept('ms', 'start_time'),
    end_time: notKept('a minute after the start'),
    ...assumed({ heart_rate_min: ofBins, heart_rate_max: ofBins }),
  }),
  ...under('hrv (JSON)[]', {
    ...binnedRows.hrv,
    start_time: kept('ms', 'start_time'),
    ...assumed({ sdnn: kept('ms', 'series.heart_rate_variability_sdnn') }),
  }),
  ...under('stress[]', { ...ended, datauuid: kept(null, 'key'), score: kept('0-100', 'score.stress') }),
  ...Object.fromEntries(
    Object.entries(valueRows).flatMap(([table, columns]) =>
      Object.entries(under(`${table}[]`, { ...valueFields, ...columns })),
    ),
  ),
};

/** The fields of the archive. */
export const samsungFields = {
  samsungExercises: {
    ...under('exercise[]', exerciseRow),
    ...under('exercise (JSON)[]', exerciseElements),
  },
  samsungNights: nights,
  samsungDays: days,
  samsungValues: values,
} as const;
