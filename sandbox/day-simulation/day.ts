import type { SimulatedUser } from '../simulation/simulated-users.ts';
import { addDays, offsetMinutesAt } from '../simulation/zone.ts';
import { heartRateEveryMs, heartRatesOf, restingHeartRate } from './heart-rate.ts';
import { type Minute, minutesOf } from './minutes.ts';
import { type StageSpan, stagesOf } from './night.ts';
import { type Plan, type PlannedWorkout, planOf, type Span } from './plan.ts';

/** A workout as the device recorded it. */
export interface Workout extends Span {
  readonly plan: PlannedWorkout;
  readonly minutes: readonly Minute[];
  /** Computed from the day's heart rates. */
  readonly avg_heart_rate_bpm: number | null;
  readonly max_heart_rate_bpm: number | null;
}

/** One complete local day of one user. A day that has not ended is computed as a whole and cut when items are created. */
export interface SimulatedDay extends Span {
  readonly user: SimulatedUser;
  readonly date: string;
  readonly offset_minutes: number;
  readonly plans: readonly [before: Plan, own: Plan, after: Plan];
  readonly minutes: readonly Minute[];
  /** One value per 15 s from `startMs`; 0 if there is none. */
  readonly heart_rates: readonly number[];
  readonly resting_heart_rate_bpm: number;
  /** The sleep that ended on this day; null if the device was not worn. */
  readonly sleep: Sleep | null;
  readonly naps: readonly Span[];
  readonly workouts: readonly Workout[];
}

/** A main sleep with its stages and minutes. */
export interface Sleep extends Span {
  readonly offset_minutes: number;
  readonly stages: readonly StageSpan[];
  readonly minutes: readonly Minute[];
}

const minuteMs = 60_000;
const settleMs = 120 * minuteMs;

/** Simulates one local day of one user. */
export function simulateDay(user: SimulatedUser, date: string): SimulatedDay {
  const plans = [
    planOf(user, addDays(date, -1)),
    planOf(user, date),
    planOf(user, addDays(date, 1)),
  ] as const;
  const [, { startMs, endMs, sleep, nap, workouts }] = plans;
  const early = minutesOf(user, plans, { startMs: startMs - settleMs, endMs });
  const rates = heartRatesOf(user, early).slice(settleMs / heartRateEveryMs);
  const minutes = early.slice(settleMs / minuteMs);
  const night = sleepOf(user, plans, sleep);
  return {
    user,
    date,
    startMs,
    endMs,
    offset_minutes: offsetMinutesAt(user.traits.zone, startMs),
    plans,
    minutes,
    heart_rates: rates,
    resting_heart_rate_bpm: restingHeartRate(user, startMs),
    sleep: night,
    naps: night === null || nap === null ? [] : [nap],
    workouts: workouts.map((plan) => workoutOf(plan, minutes, rates, startMs)),
  };
}

/** A sleep is not recorded if the device was not worn for a fifth of it. */
function sleepOf(user: SimulatedUser, plans: readonly Plan[], { startMs, endMs }: Span): Sleep | null {
  const minutes = minutesOf(user, plans, { startMs, endMs });
  if (minutes.filter(({ worn }) => worn).length < 0.8 * minutes.length) return null;
  const offset_minutes = offsetMinutesAt(user.traits.zone, startMs);
  return { startMs, endMs, offset_minutes, stages: stagesOf(user, { startMs, endMs }), minutes };
}

function workoutOf(
  plan: PlannedWorkout,
  minutes: readonly Minute[],
  rates: readonly number[],
  dayMs: number,
): Workout {
  const { startMs, endMs } = plan;
  const from = Math.ceil((startMs - dayMs) / heartRateEveryMs);
  const beats = rates.slice(from, Math.ceil((endMs - dayMs) / heartRateEveryMs)).filter((rate) => rate > 0);
  const mean = beats.reduce((sum, rate) => sum + rate, 0) / beats.length;
  return {
    plan,
    startMs,
    endMs,
    minutes: minutes.filter(
      (one) => one.startMs + minuteMs / 2 >= startMs && one.startMs + minuteMs / 2 < endMs,
    ),
    avg_heart_rate_bpm: beats.length === 0 ? null : Math.round(mean),
    max_heart_rate_bpm: beats.length === 0 ? null : Math.max(...beats),
  };
}
