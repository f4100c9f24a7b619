import {
  assumed,
  computed,
  decides,
  extra,
  type FieldReader,
  kept,
  notKept,
} from '../../../domain/provider/field-table.ts';
import { isItem } from '../../../domain/recipe/read-fields.ts';
import { mostBatteryEvents } from '../../../domain/records/day-values.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { epochChecks, withEpoch } from '../normalise/epoch.ts';
import { cleanText, instantMs } from '../normalise/item.ts';
import { itemType } from '../normalise/item-type.ts';
import { byOffset, type ReadItem } from '../normalise/read-item.ts';
import { head, ofDay } from './common.ts';

// A heart rate is a whole number of beats.
const wholeBeats: FieldReader = (bpm) => (typeof bpm === 'number' && bpm >= 1 ? Math.round(bpm) : bpm);

/** A day, which grows with each delivery. The resting heart rate is a sample at the start of the day. */
export const dailies = itemType(
  'dailies',
  {
    ...ofDay,
    activityType: notKept('a constant: the totals are those of all activities'),
    steps: kept('count', 'day.steps'),
    distanceInMeters: kept('m', 'day.distance_meters'),
    floorsClimbed: kept('count', 'day.floors_climbed'),
    activeTimeInSeconds: kept('s', 'day.active_seconds'),
    moderateIntensityDurationInSeconds: kept('s', 'day.moderate_seconds'),
    vigorousIntensityDurationInSeconds: kept('s', 'day.vigorous_seconds'),
    activeKilocalories: kept('kcal', 'day.active_calories_kcal'),
    bmrKilocalories: kept('kcal', 'day.basal_calories_kcal'),
    averageHeartRateInBeatsPerMinute: kept('bpm', 'day.avg_heart_rate_bpm'),
    minHeartRateInBeatsPerMinute: kept('bpm', 'day.min_heart_rate_bpm'),
    maxHeartRateInBeatsPerMinute: kept('bpm', 'day.max_heart_rate_bpm'),
    restingHeartRateInBeatsPerMinute: computed(
      wholeBeats,
      'bpm',
      'series.resting_heart_rate',
      'day_values.resting_heart_rate_bpm',
    ),
    timeOffsetHeartRateSamples: byOffset('bpm', 'series.heart_rate', 'day.avg_heart_rate_bpm'),
    pushes: kept('count', 'day.pushes', 'day_values.pushes'),
    consumedCalories: kept('kcal', 'day.consumed_calories_kcal', 'day_values.consumed_calories_kcal'),
    averageStressLevel: kept('1-100', 'day_values.average_stress_level'),
    ...assumed({
      maxStressLevel: kept('1-100', 'day_values.max_stress_level'),
      stressDurationInSeconds: kept('s', 'day_values.stress_seconds'),
      restStressDurationInSeconds: kept('s', 'day_values.rest_stress_seconds'),
      activityStressDurationInSeconds: kept('s', 'day_values.activity_stress_seconds'),
      lowStressDurationInSeconds: kept('s', 'day_values.low_stress_seconds'),
      mediumStressDurationInSeconds: kept('s', 'day_values.medium_stress_seconds'),
      highStressDurationInSeconds: kept('s', 'day_values.high_stress_seconds'),
      bodyBatteryChargedValue: kept('count', 'day_values.body_battery_charged'),
      bodyBatteryDrainedValue: kept('count', 'day_values.body_battery_drained'),
      stepsGoal: kept('count', 'day_values.steps_goal'),
      floorsClimbedGoal: kept('count', 'day_values.floors_climbed_goal'),
      intensityDurationGoalInSeconds: kept('s', 'day_values.intensity_goal_seconds'),
      pushesGoal: kept('count', 'day_values.pushes_goal'),
      netKilocaloriesGoal: kept('kcal', 'day_values.net_calories_goal_kcal'),
      pushDistanceInMeters: kept('m', 'day_values.push_distance_meters'),
      stressQualifier: kept(null, 'day_values.stress_qualifier'),
      averageStresslevel: kept('1-100', 'day_values.average_stress_level'),
      source: notKept('the name of the sender'),
    }),
  },
  { supersede: 'longest', complete: withDay },
);

// The active time is no sum of intensities.
function withDay(read: ReadItem): ReadItem {
  const { duration_seconds = 0, day } = read.draft;
  return { ...read, draft: { ...read.draft, duration_seconds, day: { active_seconds: null, ...day } } };
}

/** A part of a quarter of an hour. */
export const epochs = itemType(
  'epochs',
  {
    ...head,
    durationInSeconds: kept('s', 'epoch.slot_seconds'),
    activityType: kept(null, 'epoch.activity_type', 'key'),
    activeTimeInSeconds: kept('s', 'epoch.active_seconds'),
    steps: kept('count', 'series.steps'),
    activeKilocalories: kept('kcal', 'series.energy'),
    distanceInMeters: kept('m', 'series.distance_walking_running'),
    met: kept('MET', 'series.average_met'),
    pushes: kept('count', 'series.push_count'),
    intensity: decides(null, 'epoch.sedentary_seconds'),
    meanHeartRateInBeatsPerMinute: notKept('the heart rates of the day are kept every 15 s', 'bpm'),
    ...assumed({
      maxHeartRateInBeatsPerMinute: notKept('the heart rates of the day are kept every 15 s', 'bpm'),
      meanMotionIntensity: notKept('a figure of the sensor without a unit', '0-7'),
      maxMotionIntensity: notKept('a figure of the sensor without a unit', '0-7'),
    }),
  },
  { supersede: 'latest', checks: epochChecks, complete: withEpoch },
);

const stress = byOffset('1-100', 'series.devicemaker_stress_level');
const battery = byOffset('0-100', 'series.devicemaker_body_battery');

/**
 * Stress and body battery every 180 s. A stress of 0 or less is a state and not a level. A body battery of 0 is a valid
 * value. The mean and the highest stress of the day are those of the daily record: the same here would be a second score
 * of the day.
 */
export const stressDetails = itemType(
  'stressDetails',
  {
    ...ofDay,
    timeOffsetStressLevelValues: stress,
    stressLevelValues: stress,
    timeOffsetBodyBatteryValues: battery,
    bodyBatteryValues: battery,
    ...assumed({
      averageStressLevel: extra('1-100'),
      maxStressLevel: extra('1-100'),
      'bodyBatteryDynamicFeedbackEvent.eventStartTimeInSeconds': extra('s'),
      'bodyBatteryDynamicFeedbackEvent.bodyBatteryLevel': extra(),
      'bodyBatteryActivityEvents[].eventType': kept(null, 'day_values.body_battery_events'),
      'bodyBatteryActivityEvents[].eventStartTimeInSeconds': kept('s', 'day_values.body_battery_events'),
      'bodyBatteryActivityEvents[].bodyBatteryImpact': kept('count', 'day_values.body_battery_events'),
      'bodyBatteryActivityEvents[].duration': kept('s', 'day_values.body_battery_events'),
      'bodyBatteryActivityEvents[].durationInSeconds': kept('s', 'day_values.body_battery_events'),
      'bodyBatteryActivityEvents[].eventStartTimeOffsetInSeconds': extra('s'),
      'bodyBatteryActivityEvents[].eventStartTimeOffsetINSeconds': extra('s'),
      'bodyBatteryActivityEvents[].activityName': extra(),
      'bodyBatteryActivityEvents[].activityType': extra(),
      'bodyBatteryActivityEvents[].activityId': extra(),
    }),
  },
  {
    supersede: 'longest',
    spellings: {
      timeOffsetStressLevelValues: ['timeOffsetStressLevelValues', 'stressLevelValues'],
      timeOffsetBodyBatteryValues: ['timeOffsetBodyBatteryValues', 'bodyBatteryValues'],
    },
    complete: withBatteryEvents,
  },
);

// An item with the events of its body battery as values of its day.
function withBatteryEvents(read: ReadItem): ReadItem {
  const { item, draft, nowMs } = read;
  const given = item.bodyBatteryActivityEvents;
  const events = (Array.isArray(given) ? given : []).flatMap((event) => batteryEvent(event, nowMs));
  if (events.length === 0) return read;
  const body_battery_events = events.slice(0, mostBatteryEvents);
  return { ...read, draft: { ...draft, day_values: { ...draft.day_values, body_battery_events } } };
}

function batteryEvent(event: unknown, nowMs: number) {
  if (!isItem(event)) return [];
  const { eventType, eventStartTimeInSeconds: start, bodyBatteryImpact: impact } = event;
  const duration = event.duration ?? event.durationInSeconds;
  const startMs = instantMs(start, nowMs);
  const type = typeof eventType === 'string' ? cleanText(eventType, 60) : '';
  const seconds = typeof duration === 'number' ? Math.round(duration) : Number.NaN;
  if (startMs === null || type === '' || !Number.isSafeInteger(seconds)) return [];
  if (typeof impact !== 'number' || !Number.isFinite(impact)) return [];
  return [{ type, start_time: formatInstant(startMs), duration_seconds: Math.max(0, seconds), impact }];
}

/** Heart rate variability every 300 s of a night. The two averages are no samples. */
export const hrv = itemType(
  'hrv',
  {
    ...ofDay,
    lastNightAvg: kept('ms', 'day_values.hrv_night_average_ms'),
    lastNight5MinHigh: kept('ms', 'day_values.hrv_night_high_5min_ms'),
    hrvValues: byOffset('ms', 'series.heart_rate_variability_rmssd'),
  },
  { supersede: 'longest' },
);
