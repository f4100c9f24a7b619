import { parseJson } from '../../../domain/json/json-bounds.ts';
import {
  assumed,
  computed,
  each,
  extra,
  type FieldReader,
  type FieldTable,
  kept,
  notKept,
} from '../../../domain/provider/field-table.ts';
import { isItem, numberOf } from '../../../domain/recipe/read-fields.ts';
import type { StageSpan } from '../../../domain/records/records.ts';
import { measured } from '../elements.ts';

/** The value of a cell that has JSON; null if it cannot be read. */
function jsonIn(cell: unknown): unknown {
  try {
    return typeof cell === 'string' ? parseJson(cell) : null;
  } catch {
    return null;
  }
}

const jsonCell: FieldReader = (cell) => jsonIn(cell);

const stages: readonly (StageSpan[0] | null)[] = [null, 'deep', 'light', 'rem', 'awake'];

/** The stages of a text that has a digit for each interval of a sleep. */
const stagesEvery =
  (seconds: number): FieldReader =>
  (text, { bedtime_start: start, bedtime_end: end }) => {
    const most = (Date.parse(String(end)) - Date.parse(String(start))) / 1000;
    const spans: StageSpan[] = [];
    for (const [index, digit] of [...String(text)].entries()) {
      const [stage, from] = [stages[Number(digit)], index * seconds];
      const to = Math.min(from + seconds, most);
      const last = spans.at(-1);
      if (stage == null || to <= from) continue;
      if (last !== undefined && last[0] === stage && last[2] === from) last[2] = to;
      else spans.push([stage, from, to]);
    }
    return spans.length === 0 ? null : spans;
  };

/** `+00:00` may be a placeholder, as in other exports: it is no offset of the user's clock. */
const instant: FieldReader = (text) => String(text).replace(/\+00:00$/, 'Z');

const isNight = (type: unknown) => type === 'long_sleep';

/** A sleep of `sleepmodel`. */
export const sleepFields: FieldTable = {
  id: kept(null, 'key'),
  day: kept(null, 'date'),
  type: computed((type) => !isNight(type), null, 'sleep.is_nap'),
  bedtime_start: computed(instant, 'ISO 8601', 'start_time'),
  bedtime_end: computed(instant, 'ISO 8601', 'end_time'),
  total_sleep_duration: kept('s', 'sleep.asleep_seconds'),
  deep_sleep_duration: kept('s', 'sleep.deep_seconds'),
  light_sleep_duration: kept('s', 'sleep.light_seconds'),
  rem_sleep_duration: kept('s', 'sleep.rem_seconds'),
  awake_time: kept('s', 'sleep.awake_seconds'),
  latency: kept('s', 'sleep.latency_seconds'),
  average_hrv: computed(measured, 'ms', 'series.heart_rate_variability_rmssd'),
  sleep_phase_5_min: computed(stagesEvery(300), null, 'sleep.stage_intervals'),
  ...assumed({
    average_breath: computed(measured, 'breaths/min', 'series.respiratory_rate'),
    lowest_heart_rate: computed(
      (value, { type }) => (isNight(type) && (numberOf(value) ?? 0) > 0 ? value : null),
      'bpm',
      'series.resting_heart_rate',
    ),
    sleep_phase_30_sec: notKept('`sleep_phase_5_min` has the stages'),
    ...each(extra(), 'efficiency', 'average_heart_rate', 'restless_periods'),
    time_in_bed: notKept('the time between start and end', 's'),
    ...each(notKept('`heartrate` has the heart rates of the night'), 'heart_rate'),
    ...each(notKept('no description of the cell is known'), 'hrv', 'movement_30_sec'),
    ...each(notKept('another table has it'), 'readiness', 'readiness_score_delta', 'sleep_score_delta'),
    ...each(notKept('how the provider calculated it'), 'period', 'low_battery_alert', 'ring_id'),
    ...each(notKept('how the provider calculated it'), 'sleep_algorithm_version', 'sleep_analysis_reason'),
  }),
};

const ofDay: FieldTable = {
  id: notKept('the date is that of one record'),
  day: kept(null, 'date', 'key'),
  ...assumed({ timestamp: notKept('the day has its date') }),
};

/** A day of `dailysleep`. */
export const sleepScoreFields: FieldTable = {
  ...ofDay,
  score: kept(null, 'score.sleep'),
  contributors: computed(jsonCell, null, 'score_components.sleep'),
};

/** A day of `dailyreadiness`. */
export const readinessFields: FieldTable = {
  ...ofDay,
  score: kept(null, 'score.readiness'),
  contributors: computed(jsonCell, null, 'score_components.readiness'),
  ...assumed({
    temperature_deviation: kept('celsius', 'score_components.readiness'),
    temperature_trend_deviation: kept('celsius', 'score_components.readiness'),
  }),
};

/** A day of `dailyspo2`. */
export const oxygenFields: FieldTable = {
  ...ofDay,
  ...assumed({
    spo2_percentage: computed(
      (cell) => {
        const value = jsonIn(cell);
        return measured(isItem(value) ? value.average : cell, {});
      },
      'percent',
      'series.oxygen_saturation',
    ),
    breathing_disturbance_index: extra('count'),
  }),
};

/** A day of `dailyactivity`. */
export const dayFields: FieldTable = {
  ...ofDay,
  steps: kept('steps', 'day.steps'),
  active_calories: kept('kcal', 'day.active_calories_kcal'),
  ...assumed({
    total_calories: computed(
      (total, { active_calories: active }) => Number(total) - Number(active ?? Number.NaN),
      'kcal',
      'day.basal_calories_kcal',
    ),
    score: kept(null, 'score.activity'),
    contributors: computed(jsonCell, null, 'score_components.activity'),
    equivalent_walking_distance: kept('m', 'day.distance_meters'),
    high_activity_time: kept('s', 'day.vigorous_seconds'),
    medium_activity_time: kept('s', 'day.moderate_seconds'),
    low_activity_time: kept('s', 'day_values.light_activity_seconds'),
    ...each(extra('s'), 'resting_time', 'sedentary_time', 'non_wear_time'),
    ...each(notKept('a goal'), 'target_calories', 'target_meters', 'meters_to_target'),
    ...each(notKept('the times of each intensity have it'), 'met', 'class_5_min', 'average_met_minutes'),
    ...each(notKept('the times of each intensity have it'), 'high_activity_met_minutes'),
    ...each(notKept('the times of each intensity have it'), 'medium_activity_met_minutes'),
    ...each(notKept('the times of each intensity have it'), 'low_activity_met_minutes'),
    ...each(notKept('the times of each intensity have it'), 'sedentary_met_minutes'),
    inactivity_alerts: notKept('no series has alerts'),
  }),
};

/** A workout. Its columns are those that a connection has. */
export const workoutFields: FieldTable = assumed({
  id: kept(null, 'key'),
  day: notKept('the day of the start'),
  start_datetime: computed(instant, 'ISO 8601', 'start_time'),
  end_datetime: computed(instant, 'ISO 8601', 'end_time'),
  activity: kept(null, 'workout.raw_type', 'workout.type'),
  label: kept(null, 'workout.name'),
  calories: computed(measured, 'kcal', 'workout.calories_kcal'),
  distance: computed(measured, 'm', 'workout.distance_meters'),
  intensity: extra(),
  source: computed((source) => source === 'manual', null, 'workout.manual'),
});

/** The fields of the archive. */
export const ouraFields = {
  ouraSleeps: sleepFields,
  ouraSleepScores: sleepScoreFields,
  ouraReadiness: readinessFields,
  ouraOxygen: oxygenFields,
  ouraDays: dayFields,
  ouraWorkouts: workoutFields,
  ouraHeartRates: {
    timestamp: kept('ISO 8601', 'start_time', 'series.heart_rate'),
    bpm: kept('bpm', 'series.heart_rate'),
    ...assumed({ source: notKept('what the user did') }),
  },
} as const;
