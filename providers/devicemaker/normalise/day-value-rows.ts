import type { DayValues } from '../../../domain/records/day-values.ts';

/** The day values that are numbers. */
export type NumberName = {
  [K in keyof DayValues]-?: Exclude<DayValues[K], undefined> extends number ? K : never;
}[keyof DayValues];

/** A value of a day and the range of its field. */
export interface DayValueRow {
  readonly name: NumberName;
  readonly max: number;
  /** Rounded to a whole number. */
  readonly whole: boolean;
  /** From this value on; lower ones mean "not measured" if they are 0 or less. */
  readonly min: number;
}

const whole = (name: NumberName, max: number): DayValueRow => ({ name, max, whole: true, min: 0 });
const seconds = (name: NumberName) => whole(name, 200_000);
const level = (name: NumberName): DayValueRow => ({ name, max: 100, whole: false, min: 1 });
const amount = (name: NumberName, max: number): DayValueRow => ({ name, max, whole: false, min: 0 });

/** The fields of any item that are values of a day, and the value that each becomes. */
export const dayValueRows: Readonly<Record<string, DayValueRow>> = {
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
