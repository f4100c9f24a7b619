import type { DayValues, DayValuesRecord } from '../../../domain/day-values.ts';
import { mostBatteryEvents } from '../../../domain/day-values.ts';
import { extraOf } from '../../../domain/extra.ts';
import { CalendarDate, formatInstant, knownLocalDate } from '../../../domain/time.ts';
import { cleanText, instantMs, isObject, type Problem } from './item.ts';
import type { SampleOrigin } from './samples.ts';

type NumberName = {
  [K in keyof DayValues]-?: Exclude<DayValues[K], undefined> extends number ? K : never;
}[keyof DayValues];

interface Row {
  readonly name: NumberName;
  readonly max: number;
  /** Rounded to a whole number. */
  readonly whole: boolean;
  /** From this value on; lower ones mean "not measured" if they are 0 or less. */
  readonly min: number;
}

const whole = (name: NumberName, max: number): Row => ({ name, max, whole: true, min: 0 });
const seconds = (name: NumberName) => whole(name, 200_000);
const level = (name: NumberName): Row => ({ name, max: 100, whole: false, min: 1 });
const amount = (name: NumberName, max: number): Row => ({ name, max, whole: false, min: 0 });

/** The fields of any item that are values of a day, and the value that each becomes. */
const rows: Readonly<Record<string, Row>> = {
  averageStressLevel: level('average_stress_level'),
  maxStressLevel: level('max_stress_level'),
  stressDurationInSeconds: seconds('stress_seconds'),
  restStressDurationInSeconds: seconds('rest_stress_seconds'),
  activityStressDurationInSeconds: seconds('activity_stress_seconds'),
  lowStressDurationInSeconds: seconds('low_stress_seconds'),
  mediumStressDurationInSeconds: seconds('medium_stress_seconds'),
  highStressDurationInSeconds: seconds('high_stress_seconds'),
  bodyBatteryChargedValue: whole('body_battery_charged', 1000),
  bodyBatteryDrainedValue: whole('body_battery_drained', 1000),
  stepsGoal: whole('steps_goal', 1_000_000),
  floorsClimbedGoal: whole('floors_climbed_goal', 100_000),
  intensityDurationGoalInSeconds: seconds('intensity_goal_seconds'),
  pushesGoal: whole('pushes_goal', 1_000_000),
  netKilocaloriesGoal: amount('net_calories_goal_kcal', 100_000),
  consumedCalories: amount('consumed_calories_kcal', 100_000),
  pushes: whole('pushes', 1_000_000),
  pushDistanceInMeters: amount('push_distance_meters', 10_000_000),
  restingHeartRateInBeatsPerMinute: { name: 'resting_heart_rate_bpm', max: 300, whole: true, min: 1 },
  lastNightAvg: { name: 'hrv_night_average_ms', max: 1000, whole: false, min: 0.001 },
  lastNight5MinHigh: { name: 'hrv_night_high_5min_ms', max: 1000, whole: false, min: 0.001 },
};

const others = ['stressQualifier', 'bodyBatteryActivityEvents'];

/** What is read of an item beside its day values. */
export interface Rest {
  /** The fields that the item's schema reads. They are not among the extra fields. */
  readonly taken: readonly string[];
  readonly durationSeconds: number;
}

/**
 * The values of a day that an item contains, and its further fields. Null if it has neither. Values that the item's schema
 * does not read are reported if they are out of range.
 */
export function dayValuesOf(
  item: unknown,
  origin: SampleOrigin,
  { taken, durationSeconds }: Rest,
): { readonly record: DayValuesRecord | null; readonly problems: readonly Problem[] } {
  if (!isObject(item)) return { record: null, problems: [] };
  const numbers = numbersOf(item, new Set(taken));
  const values = { ...numbers.values, ...qualifierOf(item), ...eventsOf(item, origin) };
  const extra = extraOf(item, [...taken, ...Object.keys(rows), ...others, 'calendarDate', 'activityType']);
  if (extra === null && Object.keys(values).length === 0) return { record: null, problems: numbers.problems };
  const date = CalendarDate.safeParse(item.calendarDate);
  const { startMs: start_ms, zoneOffsetMinutes: zone_offset_minutes, device } = origin;
  const span = { start_ms, duration_seconds: durationSeconds, zone_offset_minutes, device };
  const day = date.success ? date.data : knownLocalDate(start_ms, zone_offset_minutes);
  return { record: { date: day, ...span, values, extra }, problems: numbers.problems };
}

function numbersOf(item: Readonly<Record<string, unknown>>, reported: ReadonlySet<string>) {
  const values: Partial<Record<NumberName, number>> = {};
  const problems: Problem[] = [];
  for (const [field, { name, min, max, whole: isWhole }] of Object.entries(rows)) {
    const value = item[field] ?? null;
    if (value === null) continue;
    const isNumber = typeof value === 'number';
    if (isNumber && value >= min && value <= max) values[name] = isWhole ? Math.round(value) : value;
    else if (!reported.has(field) && !(isNumber && value <= 0 && min > 0))
      problems.push({
        field,
        reason: isNumber ? `must be ${Math.floor(min)} to ${max}` : 'must be a number',
      });
  }
  return { values, problems };
}

function qualifierOf({ stressQualifier }: Readonly<Record<string, unknown>>): DayValues {
  const text = typeof stressQualifier === 'string' ? cleanText(stressQualifier, 60) : '';
  return text === '' ? {} : { stress_qualifier: text };
}

function eventsOf(
  { bodyBatteryActivityEvents: given }: Readonly<Record<string, unknown>>,
  { nowMs }: SampleOrigin,
): DayValues {
  const events = (Array.isArray(given) ? given : []).flatMap((event) => eventOf(event, nowMs));
  return events.length === 0 ? {} : { body_battery_events: events.slice(0, mostBatteryEvents) };
}

function eventOf(event: unknown, nowMs: number) {
  if (!isObject(event)) return [];
  const { eventType, eventStartTimeInSeconds: start, bodyBatteryImpact: impact, duration } = event;
  const startMs = typeof start === 'number' ? instantMs(start, nowMs) : null;
  const type = typeof eventType === 'string' ? cleanText(eventType, 60) : '';
  const lasted = typeof duration === 'number' && Number.isSafeInteger(Math.round(duration)) ? duration : null;
  if (startMs === null || type === '' || lasted === null || typeof impact !== 'number') return [];
  if (!Number.isFinite(impact)) return [];
  return [
    { type, start_time: formatInstant(startMs), duration_seconds: Math.max(0, Math.round(lasted)), impact },
  ];
}
