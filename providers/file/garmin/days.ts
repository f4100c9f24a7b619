import {
  assumed,
  computed,
  decides,
  extra,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../../domain/provider/field-table.ts';
import type { Draft, Point } from '../../../domain/recipe/draft.ts';
import { type Item, isItem, numberOf, readFields } from '../../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../../domain/recipe/record-type.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { elementReader, measured } from '../elements.ts';
import { device } from './entries.ts';
import { dateOf, offsetBetween, timeMs } from './times.ts';

/** A floor has 10 feet. */
const metersPerFloor = 3.048;

/** The stress of a day, of which the total is read. A negative level means that there is none. */
const stress: FieldTable = {
  type: decides(null, 'day_values.average_stress_level'),
  averageStressLevel: kept('0-100', 'day_values.average_stress_level'),
  ...assumed({
    maxStressLevel: kept('0-100', 'day_values.max_stress_level'),
    stressDuration: kept('s', 'day_values.stress_seconds'),
    restDuration: kept('s', 'day_values.rest_stress_seconds'),
    activityDuration: kept('s', 'day_values.activity_stress_seconds'),
    lowDuration: kept('s', 'day_values.low_stress_seconds'),
    mediumDuration: kept('s', 'day_values.medium_stress_seconds'),
    highDuration: kept('s', 'day_values.high_stress_seconds'),
  }),
};

/** A day of `UDSFile_*.json`. */
export const dayFields: FieldTable = {
  calendarDate: computed(dateOf, null, 'date', 'key'),
  wellnessStartTimeGmt: kept('ISO 8601', 'start_time'),
  wellnessStartTimeLocal: computed(
    (local, day) => offsetBetween(local, day.wellnessStartTimeGmt),
    null,
    'zone_offset',
  ),
  // A day of a change of the clock has 23 or 25 hours, the current one has not ended.
  wellnessEndTimeGmt: computed(secondsUntil, null, 'duration_seconds'),
  totalSteps: kept('count', 'day.steps'),
  totalDistanceMeters: kept('m', 'day.distance_meters'),
  activeKilocalories: kept('kcal', 'day.active_calories_kcal'),
  bmrKilocalories: kept('kcal', 'day.basal_calories_kcal'),
  floorsAscendedInMeters: computed(
    (meters) => Math.round((numberOf(meters) ?? Number.NaN) / metersPerFloor),
    'm',
    'day.floors_climbed',
  ),
  floorsDescendedInMeters: extra('m'),
  moderateIntensityMinutes: kept('min', 'day.moderate_seconds'),
  vigorousIntensityMinutes: kept('min', 'day.vigorous_seconds'),
  currentDayRestingHeartRate: computed(
    measured,
    'bpm',
    'series.resting_heart_rate',
    'day_values.resting_heart_rate_bpm',
  ),
  restingHeartRate: notKept('a mean of 7 days', 'bpm'),
  ...under('allDayStress.aggregatorList[]', stress),
  'bodyBattery.bodyBatteryStatList[].statTimestamp': kept(null, 'series.devicemaker_body_battery'),
  'bodyBattery.bodyBatteryStatList[].statsValue': kept('0-100', 'series.devicemaker_body_battery'),
  'bodyBattery.bodyBatteryStatList[].bodyBatteryStatus': kept(null, 'series.devicemaker_body_battery'),
  'bodyBattery.bodyBatteryStatList[].bodyBatteryStatType': notKept('the time and the value say it'),
  'hydration.valueInML': extra('mL'),
  'hydration.sweatLossInML': notKept('an estimate of what was lost, and nothing that was drunk', 'mL'),
  version: notKept('of two entries of a day the one with the higher version counts'),
  ...assumed({
    minHeartRate: kept('bpm', 'day.min_heart_rate_bpm'),
    maxHeartRate: kept('bpm', 'day.max_heart_rate_bpm'),
    dailyStepGoal: kept('count', 'day_values.steps_goal'),
    userIntensityMinutesGoal: kept('min', 'day_values.intensity_goal_seconds'),
    'bodyBattery.chargedValue': kept('count', 'day_values.body_battery_charged'),
    'bodyBattery.drainedValue': kept('count', 'day_values.body_battery_drained'),
    wellnessEndTimeLocal: notKept('the end in UTC has the same'),
    userProfilePK: notKept('the account'),
    uuid: notKept('an id of the export'),
  }),
};

function secondsUntil(end: unknown, { wellnessStartTimeGmt: start }: Item): number | null {
  const [startMs, endMs] = [timeMs(start), timeMs(end)];
  return startMs === null || endMs === null || endMs <= startMs ? null : (endMs - startMs) / 1000;
}

function withDay(draft: Draft, item: Item): Draft | string {
  const { date, start_time } = draft;
  const [total] = listAt(item, 'allDayStress', 'aggregatorList').filter(({ type }) => type === 'TOTAL');
  const day_values = {
    ...draft.day_values,
    ...(total === undefined ? {} : readFields(stress, total).day_values),
  };
  const battery = batteryPoints(item);
  const series = { ...draft.series, ...(battery.length === 0 ? {} : { devicemaker_body_battery: battery }) };
  const whole = { ...draft, day_values, series };
  if (!isMeasured(whole)) return 'The day has no values.';
  if (start_time !== undefined || date === undefined) return whole;
  return { ...whole, start_time: Date.parse(`${date}T00:00:00Z`), isLocal: true };
}

// A device whose clock was reset makes days with goals and the basal rate alone.
function isMeasured({ day = {}, day_values = {}, series = {} }: Draft): boolean {
  const { basal_calories_kcal: _, ...counted } = day;
  return (
    Object.values(counted).some((value) => typeof value === 'number' && value > 0) ||
    Object.keys(series).length > 0 ||
    day_values.average_stress_level !== undefined
  );
}

function listAt(item: Item, part: string, list: string): Item[] {
  const value = isItem(item[part]) ? item[part][list] : undefined;
  return Array.isArray(value) ? value.filter(isItem) : [];
}

/** Levels that were measured. Others are of a model, or set when the device was reset. */
function batteryPoints(day: Item): Point[] {
  return listAt(day, 'bodyBattery', 'bodyBatteryStatList').flatMap((stat): Point[] => {
    const { statTimestamp, statsValue, bodyBatteryStatus } = stat;
    const [ms, value] = [instantOf(statTimestamp, day), numberOf(statsValue)];
    return bodyBatteryStatus !== 'MEASURED' || ms === null || value === null ? [] : [[ms, value]];
  });
}

// The name of the field does not say which clock it is of. Within the day by the user's clock it is of that, otherwise UTC.
function instantOf(value: unknown, day: Item): number | null {
  const [ms, local, utc] = [value, day.wellnessStartTimeLocal, day.wellnessStartTimeGmt].map(timeMs);
  if (ms == null || utc == null) return null;
  const offset = offsetBetween(day.wellnessStartTimeLocal, day.wellnessStartTimeGmt);
  const isOfClock = local != null && offset !== null && ms >= local && ms <= local + dayMs;
  return isOfClock ? ms - offset * 60_000 : ms;
}

const days: RecordType = {
  device,
  fields: dayFields,
  complete: withDay,
  makes: ['devicemaker_body_battery'],
  // The current day grows, so a shorter one is of an older archive.
  supersede: 'longest',
};

/** Reads a day. */
export const readDay = elementReader('garmin_days', 'days', days);
