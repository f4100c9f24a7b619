import type { Person } from '../people.ts';
import { addDays, offsetMinutesAt } from '../zone.ts';
import { heartRateEveryMs, heartRatesOf, restingHeartRate } from './heart-rate.ts';
import { type Minute, minutesOf } from './minutes.ts';
import { type StageSpan, stagesOf } from './night.ts';
import { type Plan, type PlannedWorkout, planOf, type Span } from './plan.ts';

/** A session of sport as the device counted it. */
export interface Workout extends Span {
  readonly plan: PlannedWorkout;
  readonly minutes: readonly Minute[];
  /** From the same values as the day's heart rates. */
  readonly avg_heart_rate_bpm: number | null;
  readonly max_heart_rate_bpm: number | null;
}

/** One local day of one person, whole. A day that is still going on is cut where it is shaped, never made otherwise. */
export interface DayLife extends Span {
  readonly person: Person;
  readonly date: string;
  readonly offset_minutes: number;
  readonly plans: readonly [before: Plan, own: Plan, after: Plan];
  readonly minutes: readonly Minute[];
  /** One each 15 s from `startMs`; 0 where there is none. */
  readonly heart_rates: readonly number[];
  readonly resting_heart_rate_bpm: number;
  /** The sleep that ended on this day, where the device was worn. */
  readonly sleep: Sleep | null;
  readonly naps: readonly Span[];
  readonly workouts: readonly Workout[];
}

/** A night, or whatever somebody sleeps at, with its stages and minutes. */
export interface Sleep extends Span {
  readonly offset_minutes: number;
  readonly stages: readonly StageSpan[];
  readonly minutes: readonly Minute[];
}

const minuteMs = 60_000;
const settleMs = 120 * minuteMs;

/** What one person does on one local day. */
export function lifeOfDay(person: Person, date: string): DayLife {
  const plans = [
    planOf(person, addDays(date, -1)),
    planOf(person, date),
    planOf(person, addDays(date, 1)),
  ] as const;
  const [, { startMs, endMs, sleep, nap, workouts }] = plans;
  const early = minutesOf(person, plans, { startMs: startMs - settleMs, endMs });
  const rates = heartRatesOf(person, early).slice(settleMs / heartRateEveryMs);
  const minutes = early.slice(settleMs / minuteMs);
  const night = sleepOf(person, plans, sleep);
  return {
    person,
    date,
    startMs,
    endMs,
    offset_minutes: offsetMinutesAt(person.traits.zone, startMs),
    plans,
    minutes,
    heart_rates: rates,
    resting_heart_rate_bpm: restingHeartRate(person, startMs),
    sleep: night,
    naps: night === null || nap === null ? [] : [nap],
    workouts: workouts.map((plan) => workoutOf(plan, minutes, rates, startMs)),
  };
}

/** A sleep that the device missed a good part of is none. */
function sleepOf(person: Person, plans: readonly Plan[], { startMs, endMs }: Span): Sleep | null {
  const minutes = minutesOf(person, plans, { startMs, endMs });
  if (minutes.filter(({ worn }) => worn).length < 0.8 * minutes.length) return null;
  const offset_minutes = offsetMinutesAt(person.traits.zone, startMs);
  return { startMs, endMs, offset_minutes, stages: stagesOf(person, { startMs, endMs }), minutes };
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
