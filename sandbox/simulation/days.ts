import { type SimulatedDay, simulateDay } from '../day-simulation/day.ts';
import type { Span } from '../day-simulation/plan.ts';
import type { SimulatedUser } from './simulated-users.ts';
import { addDays, dateAt } from './zone.ts';

/** A month of six users, with 430 KB per day. The cache is emptied when it is not used for a while. */
const mostDays = 190;
const idleMs = 20_000;
const days = new Map<string, SimulatedDay>();
let idle: NodeJS.Timeout | undefined;

/**
 * A simulated day, from the days that this process used last. A day takes 7 ms to compute, and each of the 16 data types
 * needs it.
 */
export function simulatedDay(user: SimulatedUser, date: string): SimulatedDay {
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
}

function giveBack(): void {
  days.clear();
  globalThis.gc?.();
}

/** The local dates of a user that a span touches, oldest first. */
export function datesIn({ traits: { zone } }: SimulatedUser, { startMs, endMs }: Span): string[] {
  const dates: string[] = [];
  if (endMs <= startMs) return dates;
  const last = dateAt(zone, endMs - 1);
  for (let date = dateAt(zone, startMs); date <= last; date = addDays(date, 1)) dates.push(date);
  return dates;
}
