import { type SimulatedDay, simulateDay } from '../day-simulation/day.ts';
import type { Span } from '../day-simulation/plan.ts';
import type { SimulatedUser } from './simulated-users.ts';
import { addDays, dateAt } from './zone.ts';

/** A cache of simulated days. A day takes 7 ms to compute, and each of the 16 data types needs it. */
export interface Days {
  of(user: SimulatedUser, date: string): SimulatedDay;
}

/** A month of six users, with 430 KB per day. The cache is emptied when it is not used for a while. */
const mostDays = 190;
const idleMs = 20_000;

/** A cache that removes the least recently used day first. */
export function dayCache(): Days {
  const days = new Map<string, SimulatedDay>();
  let idle: NodeJS.Timeout | undefined;
  const giveBack = () => {
    days.clear();
    globalThis.gc?.();
  };
  return {
    of(user, date) {
      const key = `${user.account_id}/${date}`;
      const day = days.get(key) ?? simulateDay(user, date);
      days.delete(key);
      days.set(key, day);
      for (const oldest of days.keys()) {
        if (days.size <= mostDays) break;
        days.delete(oldest);
      }
      clearTimeout(idle);
      idle = setTimeout(giveBack, idleMs).unref();
      return day;
    },
  };
}

/** The local dates of a user that a span touches, oldest first. */
export function datesIn({ traits: { zone } }: SimulatedUser, { startMs, endMs }: Span): string[] {
  const dates: string[] = [];
  if (endMs <= startMs) return dates;
  const last = dateAt(zone, endMs - 1);
  for (let date = dateAt(zone, startMs); date <= last; date = addDays(date, 1)) dates.push(date);
  return dates;
}
