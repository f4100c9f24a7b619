import type { SportName } from '../day-simulation/sports.ts';

/** Minutes after local midnight; from 1,440 on the next day. */
export type MinuteOfDay = number;
/** Work from Monday to Friday, sleep at night. */
export interface WeekdayRhythm {
  readonly kind: 'weekdays';
  readonly bed: MinuteOfDay;
  readonly wake: MinuteOfDay;
  /** The delay of bedtime and waking up on days off. */
  readonly lie_in_minutes: number;
  readonly work: readonly [from: MinuteOfDay, to: MinuteOfDay];
}

/** A number of night shifts, followed by days off. */
export interface ShiftRhythm {
  readonly kind: 'shifts';
  readonly nights: number;
  readonly days_off: number;
  readonly shift: readonly [from: MinuteOfDay, to: MinuteOfDay];
  readonly bed: MinuteOfDay;
  readonly wake: MinuteOfDay;
}

/** A sport on certain weekdays (0 is Monday) at a usual hour, unless the time is taken. */
export interface Routine {
  readonly sport: SportName;
  readonly weekdays: readonly number[];
  readonly at: MinuteOfDay;
  readonly minutes: readonly [from: number, to: number];
  readonly chance: number;
}

/** The traits of one user. */
export interface Traits {
  readonly key: string;
  readonly title: readonly [string, string];
  /** IANA name. */
  readonly zone: string;
  readonly device: string;
  readonly resting_heart_rate_bpm: number;
  readonly max_heart_rate_bpm: number;
  readonly hrv_rmssd_ms: number;
  readonly weight_kg: number;
  readonly height_cm: number;
  readonly age_years: number;
  readonly vo2_max: number;
  /** Oxygen saturation asleep; it is lower at high altitude. */
  readonly spo2_percent: number;
  readonly rhythm: WeekdayRhythm | ShiftRhythm;
  readonly commute: { readonly minutes: number; readonly by: 'foot' | 'wheels' };
  /** 0 at a settings to 1 on one's feet. */
  readonly work_on_feet: number;
  readonly nap_chance: number;
  readonly routines: readonly Routine[];
  /** The hours in which the device is worn; null: day and night. */
  readonly wears: readonly [from: MinuteOfDay, to: MinuteOfDay] | null;
  readonly charges_every_days: number;
  /** Power at the usual effort of a ride; null if the bicycle does not measure it. */
  readonly ride_watts: number | null;
  /** Length of the menstrual cycle; null if it is not tracked. */
  readonly cycle_days: number | null;
  /** Whether the user also has an account at the platform to which only workouts are uploaded. */
  readonly uploads_workouts: boolean;
  /** Whether the user also has an account at the maker of scales. */
  readonly owns_scale: boolean;
}
