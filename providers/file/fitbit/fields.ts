import {
  assumed,
  each,
  extra,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../../domain/provider/field-table.ts';
import { unread } from './member-names.ts';

const follows = notKept('follows from the stages');
const local = 'the clock of the user, without a zone';

/** A night in `sleep-*.json`, and in the tables `UserSleeps`, `UserSleepStages` and of scores. */
const nights: FieldTable = {
  ...under('sleep[]', {
    logId: kept(null, 'sleep.score'),
    dateOfSleep: kept(null, 'date'),
    startTime: kept(local, 'start_time', 'key'),
    endTime: kept(local, 'end_time'),
    duration: kept('ms', 'end_time'),
    minutesToFallAsleep: kept('min', 'sleep.latency_seconds'),
    minutesAsleep: kept('min', 'sleep.asleep_seconds'),
    minutesAwake: kept('min', 'sleep.awake_seconds'),
    efficiency: extra('percent'),
    mainSleep: kept(null, 'sleep.is_nap'),
    'levels.data[].dateTime': kept(local, 'sleep.stage_intervals'),
    'levels.data[].level': kept(null, 'sleep.stage_intervals', 'sleep.deep_seconds'),
    'levels.data[].seconds': kept('s', 'sleep.stage_intervals'),
    'levels.shortData[].dateTime': kept(local, 'sleep.stage_intervals'),
    'levels.shortData[].level': kept(null, 'sleep.stage_intervals'),
    'levels.shortData[].seconds': kept('s', 'sleep.stage_intervals'),
    ...each(follows, 'levels.summary', 'minutesAfterWakeup', 'timeInBed', 'type'),
    ...each(notKept('how the night was recorded'), 'infoCode', 'logType'),
  }),
  ...under('UserSleeps[]', {
    sleep_id: kept(null, 'sleep.stage_intervals', 'sleep.score'),
    sleep_start: kept(null, 'start_time', 'key'),
    sleep_end: kept(null, 'end_time', 'duration_seconds'),
    start_utc_offset: kept(null, 'zone_offset'),
    end_utc_offset: notKept('states the clock of what is near the end of the night'),
    minutes_asleep: kept('min', 'sleep.asleep_seconds'),
    minutes_awake: kept('min', 'sleep.awake_seconds'),
    minutes_to_fall_asleep: kept('min', 'sleep.latency_seconds'),
    ...each(follows, 'sleep_type', 'minutes_in_sleep_period', 'minutes_after_wake_up'),
    ...each(follows, 'minutes_longest_awakening', 'minutes_to_persistent_sleep'),
    ...each(notKept('how the night was recorded'), 'data_source', 'sleep_created', 'sleep_last_updated'),
  }),
  ...under('UserSleepStages[]', {
    sleep_id: kept(null, 'sleep.stage_intervals'),
    sleep_stage_type: kept(null, 'sleep.stage_intervals'),
    sleep_stage_start: kept(null, 'sleep.stage_intervals'),
    sleep_stage_end: kept(null, 'sleep.stage_intervals'),
  }),
  ...under('UserSleepScores[]', {
    sleep_id: kept(null, 'sleep.score'),
    overall_score: kept('0-100', 'sleep.score'),
  }),
  ...under('sleep_score[]', {
    sleep_log_entry_id: kept(null, 'sleep.score'),
    overall_score: kept('0-100', 'sleep.score'),
    ...each(notKept('the night has its times'), 'timestamp'),
    ...each(
      notKept('how the score came about'),
      'composition_score',
      'revitalization_score',
      'duration_score',
    ),
    ...each(notKept('another member has it'), 'deep_sleep_in_minutes', 'resting_heart_rate', 'restlessness'),
  }),
};

const byOther = notKept('wrong in exports: the distance and the time have it');

/** An exercise in `exercise-N.json`, in the table `UserExercises`, and its positions in `gps_location`. */
const exercises: FieldTable = {
  ...under('exercise[]', {
    logId: kept(null, 'details.activity_id'),
    activityName: kept(null, 'workout.type', 'workout.raw_type'),
    startTime: kept('a clock that the archive shows', 'start_time', 'key'),
    duration: kept('ms', 'end_time'),
    activeDuration: kept('ms', 'workout.moving_seconds'),
    calories: kept('kcal', 'workout.calories_kcal'),
    distance: kept('as stated beside it', 'workout.distance_meters'),
    distanceUnit: kept(null, 'workout.distance_meters'),
    steps: kept('count', 'workout.steps'),
    elevationGain: kept('m', 'workout.elevation_gain_meters'),
    averageHeartRate: kept('bpm', 'workout.avg_heart_rate_bpm'),
    'source.name': kept(null, 'source'),
    logType: kept(null, 'workout.manual'),
    ...assumed({ swimLengths: kept('count', 'details.swim_lengths') }),
    ...each(notKept('follows from the heart rate'), 'heartRateZones', 'activeZoneMinutes', 'activityLevel'),
    ...each(notKept('the distance and the time have it'), 'speed', 'pace'),
    ...each(notKept('the start as it was before it was edited'), 'originalStartTime', 'originalDuration'),
    ...each(notKept('describes the entry'), 'lastModified', 'hasGps', 'shouldFetchDetails', 'activityTypeId'),
  }),
  ...under('UserExercises[]', {
    exercise_id: kept(null, 'details.activity_id'),
    exercise_start: kept(null, 'start_time', 'key'),
    exercise_end: kept(null, 'end_time', 'duration_seconds'),
    utc_offset: kept(null, 'zone_offset'),
    activity_name: kept(null, 'workout.type', 'workout.raw_type'),
    log_type: kept(null, 'workout.manual'),
    tracker_total_calories: kept('kcal', 'workout.calories_kcal'),
    tracker_total_steps: kept('count', 'workout.steps'),
    tracker_total_distance_mm: kept('mm', 'workout.distance_meters'),
    tracker_total_altitude_mm: kept('mm', 'workout.elevation_gain_meters'),
    tracker_avg_heart_rate: kept('bpm', 'workout.avg_heart_rate_bpm'),
    tracker_peak_heart_rate: kept('bpm', 'workout.max_heart_rate_bpm'),
    tracker_swim_lengths: kept('count', 'details.swim_lengths'),
    manually_logged_total_calories: kept('kcal', 'workout.calories_kcal'),
    manually_logged_total_steps: kept('count', 'workout.steps'),
    manually_logged_total_distance_mm: kept('mm', 'workout.distance_meters'),
    ...each(byOther, 'tracker_avg_pace_mm_per_second', 'tracker_avg_speed_mm_per_second'),
    ...each(byOther, 'tracker_peak_speed_mm_per_second'),
    ...each(
      notKept('settings of the exercise'),
      'pool_length',
      'pool_length_unit',
      'intervals',
      'distance_units',
    ),
    ...each(notKept('the unit of it is not known'), 'tracker_pool_length', 'tracker_pool_length_unit'),
    tracker_cardio_load: notKept('a load by a formula of its own'),
    ...each(notKept('describes the entry'), 'exercise_created', 'exercise_last_updated', 'events'),
  }),
  ...under('gps_location[]', {
    timestamp: kept(null, 'streams.latitude'),
    latitude: kept('degrees', 'streams.latitude'),
    longitude: kept('degrees', 'streams.longitude'),
    altitude: kept('m', 'streams.altitude'),
    'data source': kept(null, 'streams.latitude'),
  }),
};

const time = { timestamp: kept('UTC', 'start_time') };
const source = { 'data source': kept(null, 'source') };

/** The members with values, by their names, and those that are known and not kept. A row has one of its kind. */
const values: FieldTable = {
  ...under('steps (JSON)[]', {
    dateTime: kept('a clock that the archive shows', 'start_time', 'end_time'),
    value: kept('count', 'series.steps'),
  }),
  ...under('steps[]', { ...time, steps: kept('count', 'series.steps'), ...source }),
  ...under('distance (JSON)[]', {
    dateTime: kept('a clock that the archive shows', 'start_time', 'end_time'),
    value: kept('cm', 'series.distance_walking_running'),
  }),
  ...under('distance[]', { ...time, distance: kept('m', 'series.distance_walking_running'), ...source }),
  ...under('floors[]', { ...time, floors: kept('count', 'series.flights_climbed'), ...source }),
  ...under('active_energy_burned[]', { ...time, Kilocalories: kept('kcal', 'series.energy'), ...source }),
  ...under('heart_rate (JSON)[]', {
    dateTime: kept('the clock of the steps', 'start_time'),
    'value.bpm': kept('bpm', 'series.heart_rate'),
    'value.confidence': kept('0-3', 'series.heart_rate'),
  }),
  ...under('heart_rate[]', { ...time, 'beats per minute': kept('bpm', 'series.heart_rate'), ...source }),
  ...under('resting_heart_rate (JSON)[]', {
    dateTime: kept('a local date', 'series.resting_heart_rate'),
    'value.date': kept('a local date', 'series.resting_heart_rate'),
    'value.value': kept('bpm', 'series.resting_heart_rate'),
    'value.error': notKept('how sure the value is'),
  }),
  ...under('daily_resting_heart_rate[]', {
    timestamp: kept('a local date', 'series.resting_heart_rate'),
    'beats per minute': kept('bpm', 'series.resting_heart_rate'),
    'data source': notKept('the provider computed the value'),
  }),
  ...under('weight (JSON)[]', {
    date: kept(local, 'start_time'),
    time: kept(local, 'start_time'),
    fat: kept('percent', 'series.body_fat_percentage'),
    source: kept(null, 'source'),
    ...each(notKept('pounds; the table has grams', 'lb'), 'weight'),
    ...each(notKept('follows from the weight'), 'bmi'),
    logId: notKept('a sample is identified by its series and time'),
  }),
  ...under('weight[]', { ...time, 'weight grams': kept('g', 'series.weight'), ...source }),
  ...under('body_fat[]', {
    ...time,
    'body fat percentage': kept('percent', 'series.body_fat_percentage'),
    ...source,
  }),
  ...under('Minute SpO2[]', {
    timestamp: time.timestamp,
    value: kept('percent', 'series.oxygen_saturation'),
  }),
  ...under('oxygen_saturation[]', {
    ...time,
    'oxygen saturation percentage': kept('percent', 'series.oxygen_saturation'),
    ...source,
  }),
  ...under('Heart Rate Variability Details[]', {
    timestamp: kept(local, 'start_time'),
    rmssd: kept('ms', 'series.heart_rate_variability_rmssd'),
    ...each(notKept('the series takes one figure'), 'coverage', 'low_frequency', 'high_frequency'),
  }),
  ...under('heart_rate_variability[]', {
    ...time,
    'root mean square of successive differences milliseconds': kept(
      'ms',
      'series.heart_rate_variability_rmssd',
    ),
    'standard deviation milliseconds': notKept('the series of the older member is kept'),
    ...source,
  }),
  ...under('Daily Respiratory Rate Summary[]', {
    timestamp: kept('a local date', 'series.respiratory_rate'),
    daily_respiratory_rate: kept('breaths/min', 'series.respiratory_rate'),
  }),
  ...under('daily_respiratory_rate[]', {
    timestamp: kept('a local date', 'series.respiratory_rate'),
    'breaths per minute': kept('breaths/min, or thousandths of it', 'series.respiratory_rate'),
    'data source': notKept('the provider computed the value'),
  }),
  ...under('body_temperature[]', {
    ...time,
    'temperature celsius': kept('celsius', 'series.skin_temperature'),
    ...source,
  }),
  ...under('demographic_vo2_max (JSON)[]', {
    dateTime: kept('a local date', 'series.vo2_max'),
    'value.filteredDemographicVO2Max': kept('ml/kg/min', 'series.vo2_max'),
    'value.demographicVO2Max': notKept('before it was smoothed'),
    ...each(notKept('how sure the value is'), 'value.demographicVO2MaxError'),
    ...each(notKept('how sure the value is'), 'value.filteredDemographicVO2MaxError'),
  }),
  ...under('Daily Readiness Score[]', {
    date: kept('a local date', 'date', 'key'),
    readiness_score_value: kept('0-100', 'score.readiness'),
    readiness_state: kept(null, 'score.readiness'),
    activity_subcomponent: kept('0-100', 'score_components.readiness'),
    sleep_subcomponent: kept('0-100', 'score_components.readiness'),
    hrv_subcomponent: kept('0-100', 'score_components.readiness'),
  }),
  'Profile[].timezone': kept(null, 'zone_offset'),
  ...Object.fromEntries(unread.map(({ name, reason }) => [name, notKept(reason.replace(/\.$/, ''))])),
};

/** The fields of the archive. */
export const fitbitFields = {
  fitbitNights: nights,
  fitbitExercises: exercises,
  fitbitValues: values,
} as const;
