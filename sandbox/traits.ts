import type { SportName } from './life/sports.ts';

/** Minutes after local midnight; past 1,440 is the next day. */
export type Clock = number;
/** Work from Monday to Friday, nights asleep. */
export interface WeekdayRhythm {
  readonly kind: 'weekdays';
  readonly bed: Clock;
  readonly wake: Clock;
  /** How much later it all is on free days. */
  readonly lie_in_minutes: number;
  readonly work: readonly [from: Clock, to: Clock];
}

/** Some night shifts in a row, then some days off. */
export interface ShiftRhythm {
  readonly kind: 'shifts';
  readonly nights: number;
  readonly days_off: number;
  readonly shift: readonly [from: Clock, to: Clock];
  readonly bed: Clock;
  readonly wake: Clock;
}

/** A sport done on certain weekdays (0 is Monday) at a usual hour, when nothing else is in its way. */
export interface Routine {
  readonly sport: SportName;
  readonly weekdays: readonly number[];
  readonly at: Clock;
  readonly minutes: readonly [from: number, to: number];
  readonly chance: number;
}

/** What sets one person apart. */
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
  /** Oxygen saturation asleep: lower where the air is thin. */
  readonly spo2_percent: number;
  readonly rhythm: WeekdayRhythm | ShiftRhythm;
  readonly commute: { readonly minutes: number; readonly by: 'foot' | 'wheels' };
  /** 0 at a desk to 1 on one's feet. */
  readonly work_on_feet: number;
  readonly nap_chance: number;
  readonly routines: readonly Routine[];
  /** The hours that the device is worn in; null is day and night. */
  readonly wears: readonly [from: Clock, to: Clock] | null;
  readonly charges_every_days: number;
  /** Power at the usual effort of a ride, where the bicycle measures it. */
  readonly ride_watts: number | null;
  /** Length of the menstrual cycle, where one is tracked. */
  readonly cycle_days: number | null;
  /** Whether the person also has an account where only workouts are uploaded. */
  readonly uploads_workouts: boolean;
}
