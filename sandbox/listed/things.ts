import type { SimulatedDay, Sleep, Workout } from '../day-simulation/day.ts';
import { heartRateEveryMs } from '../day-simulation/heart-rate.ts';
import type { Span } from '../day-simulation/plan.ts';
import type { SportName } from '../day-simulation/sports.ts';
import type { DayChanges } from './listed.ts';

/** What a provider has a record of: a workout, a night, a day. It is listed from `availableMs`. */
export interface Thing extends Span {
  readonly day: SimulatedDay;
  readonly availableMs: number;
  /** Its name among those of the day, from which its id is made. */
  readonly name: string;
  readonly workout?: Workout;
  readonly night?: Sleep;
  /** One measurement: each series has one value. */
  readonly isSample?: true;
  /** The samples are those of another record: an application leaves them out. */
  readonly isRepeated?: boolean;
}

/** The things of a day of which a provider has records. */
export type Things = (day: SimulatedDay, changes: DayChanges) => readonly Thing[];

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
/** A provider has computed a night or a day so long after its end. */
const computedAfterMs = 30 * minuteMs;

/** The night that ended on the day. */
export const nights: Things = (day) => {
  if (day.sleep === null) return [];
  const { startMs, endMs } = day.sleep;
  return [{ day, name: 'night', startMs, endMs, availableMs: endMs + computedAfterMs, night: day.sleep }];
};

/** What is computed after a night, at that time, with the id of the night. */
export const mornings: Things = (day, changes) =>
  nights(day, changes).map(({ night: _, ...one }) => ({
    ...one,
    startMs: one.availableMs,
    endMs: one.availableMs,
  }));

/** What is computed after a night and has no time but the date, which stands for noon in UTC. */
export const dates: Things = (day, changes) =>
  mornings(day, changes).map((one) => {
    const noonMs = Date.parse(`${day.date}T12:00:00Z`);
    const availableMs = Math.max(one.availableMs, noonMs + computedAfterMs);
    return { ...one, startMs: noonMs, endMs: noonMs, availableMs };
  });

/** The whole day. */
export const days: Things = (day) => {
  const { startMs, endMs } = day;
  return [{ day, name: 'day', startMs, endMs, availableMs: endMs + computedAfterMs }];
};

/** The workouts of the simulation, and those that the user recorded on demand. */
export const workouts: Things = (day, { recorded }) => [
  ...day.workouts.map((one) => ofWorkout(day, one)),
  ...recorded.map((span) => ofWorkout(day, onDemand(day, span))),
];

const sport: SportName = 'run';

function onDemand(day: SimulatedDay, { startMs, endMs }: Span): Workout {
  const minutes = day.minutes.filter((one) => one.startMs >= startMs && one.startMs < endMs);
  const plan = { sport, startMs, endMs, vigour: 1 };
  return { plan, startMs, endMs, minutes, avg_heart_rate_bpm: 140, max_heart_rate_bpm: 155 };
}

// Providers have times of workouts in seconds.
function ofWorkout(day: SimulatedDay, workout: Workout): Thing {
  const [startMs, endMs] = [toSecond(workout.startMs), toSecond(workout.endMs)];
  return { day, name: `workout/${startMs}`, startMs, endMs, availableMs: endMs, workout };
}

const toSecond = (ms: number) => Math.floor(ms / 1000) * 1000;

/** The day so far, which the device sends each quarter of an hour. */
export const growingDays: Things = (day, { nowMs }) => {
  const endMs = Math.min(day.endMs, Math.floor(nowMs / quarterMs) * quarterMs);
  return endMs <= day.startMs ? [] : [{ day, name: 'day', startMs: day.startMs, endMs, availableMs: endMs }];
};

/** A measurement each so many minutes while the device is worn. */
export const every =
  (minutes: number): Things =>
  (day) => {
    const { startMs: firstMs, endMs: lastMs } = day;
    const rates = (minutes * minuteMs) / heartRateEveryMs;
    const count = Math.ceil((lastMs - firstMs) / (minutes * minuteMs));
    return Array.from({ length: count }, (_, index) => index).flatMap((index): Thing[] => {
      const isWorn = day.minutes.slice(index * minutes, (index + 1) * minutes).every(({ worn }) => worn);
      if (!isWorn || !day.heart_rates.slice(index * rates, (index + 1) * rates).some((rate) => rate > 0))
        return [];
      const startMs = firstMs + index * minutes * minuteMs;
      const endMs = startMs + minutes * minuteMs;
      return [{ day, name: String(startMs), startMs, endMs, availableMs: endMs, isSample: true }];
    });
  };
