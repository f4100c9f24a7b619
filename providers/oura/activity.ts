import { assumed, computed, extra, kept, notKept, under } from '../../domain/provider/field-table.ts';
import type { Collection } from '../../domain/recipe/collection.ts';
import { common, inSession, list, ofDay, ring, scoped } from './lists.ts';
import { pointsOfArray } from './points.ts';

// A day begins at 04:00 of the user's clock. It grows while it lasts, so that it is notified often: few days are read then.
const daily_activity: Collection = {
  device: ring,
  devices: [ring],
  longestSpanDays: 7,
  recentDays: 2,
  sweepDays: 7,
  scopes: scoped('daily'),
  read: list('daily_activity'),
  fields: {
    ...ofDay,
    timestamp: kept('ISO 8601', 'start_time'),
    score: kept(null, 'score.activity'),
    contributors: kept(null, 'score_components.activity'),
    steps: kept('steps', 'day.steps'),
    equivalent_walking_distance: kept('m', 'day.distance_meters'),
    active_calories: kept('kcal', 'day.active_calories_kcal'),
    total_calories: computed(
      (total, { active_calories: active }) => Number(total) - Number(active ?? Number.NaN),
      'kcal',
      'day.basal_calories_kcal',
    ),
    target_calories: kept('kcal', 'day_values.net_calories_goal_kcal'),
    high_activity_time: kept('s', 'day.vigorous_seconds'),
    medium_activity_time: kept('s', 'day.moderate_seconds'),
    low_activity_time: kept('s', 'day_values.light_activity_seconds'),
    resting_time: extra('s'),
    sedentary_time: extra('s'),
    non_wear_time: extra('s'),
    high_activity_met_minutes: extra('MET min'),
    medium_activity_met_minutes: extra('MET min'),
    low_activity_met_minutes: extra('MET min'),
    sedentary_met_minutes: extra('MET min'),
    average_met_minutes: extra('MET min'),
    inactivity_alerts: extra('count'),
    met: computed(pointsOfArray, 'MET', 'series.average_met'),
    class_5_min: notKept('`met` and the times of each intensity have it'),
    ...assumed({ target_meters: extra('m'), meters_to_target: extra('m') }),
  },
};

// Assumed: the night and the session have all heart rates of their time, so that these are not kept twice.
const ofOthers: ReadonlySet<unknown> = new Set(['sleep', 'session']);

/** Heart rates have no notifications. At most 30 days are read at once. */
const heartrate: Collection = {
  device: ring,
  devices: [ring],
  longestSpanDays: 14,
  recentDays: 2,
  sweepDays: 2,
  sweepHours: 6,
  scopes: scoped('heartrate'),
  read: {
    ...list('heartrate'),
    span: { start: 'start_datetime', end: 'end_datetime', form: 'instant' },
  },
  complete: (draft, { source }) => (ofOthers.has(source) ? `of_${source}` : draft),
  fields: {
    timestamp: kept('ISO 8601', 'start_time'),
    bpm: kept('bpm', 'series.heart_rate'),
    source: notKept('what the user did'),
    ...assumed({ timestamp_unix: notKept('`timestamp` is the same time', 'ms') }),
  },
};

const workout: Collection = {
  ...common,
  scopes: scoped('workout'),
  read: list('workout'),
  fields: {
    id: kept(null, 'key'),
    day: notKept('the day of the start'),
    start_datetime: kept('ISO 8601', 'start_time'),
    end_datetime: kept('ISO 8601', 'end_time'),
    activity: kept(null, 'workout.raw_type', 'workout.type'),
    label: kept(null, 'workout.name'),
    calories: kept('kcal', 'workout.calories_kcal'),
    distance: kept('m', 'workout.distance_meters'),
    intensity: extra(),
    source: computed((source) => source === 'manual', null, 'workout.manual'),
  },
};

/** Breathing exercises and meditations are records of their day. */
const session: Collection = {
  ...common,
  device: inSession,
  devices: [inSession],
  scopes: scoped('session'),
  read: list('session'),
  fields: {
    ...ofDay,
    start_datetime: kept('ISO 8601', 'start_time'),
    end_datetime: computed(
      (end, { start_datetime: start }) => (Date.parse(String(end)) - Date.parse(String(start))) / 1000,
      null,
      'duration_seconds',
    ),
    type: extra(),
    mood: extra(),
    heart_rate: computed(pointsOfArray, 'bpm', 'series.heart_rate'),
    heart_rate_variability: computed(pointsOfArray, 'ms', 'series.heart_rate_variability_rmssd'),
    ...under('motion_count', {
      interval: notKept('a figure of the provider without a unit', 's'),
      items: notKept('a figure of the provider without a unit'),
      timestamp: notKept('a figure of the provider without a unit'),
    }),
  },
};

/** What the user did: days, heart rates, workouts, sessions. */
export const activityTypes = { daily_activity, heartrate, workout, session } as const satisfies Readonly<
  Record<string, Collection>
>;
