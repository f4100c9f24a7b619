import { collectGarbage } from './collect.ts';
import { type DayLife, lifeOfDay } from './life/day.ts';
import type { Span } from './life/plan.ts';
import type { Person } from './people.ts';
import { addDays, dateAt } from './zone.ts';

/** Days of lives that were made lately. One takes 7 ms to make, and each of the 16 data types asks for it. */
export interface Days {
  of(person: Person, date: string): DayLife;
}

/** A month of six people, 430 KB a day: given back when nobody asked for a while. */
const mostDays = 190;
const idleMs = 20_000;

/** A store of days; the one that was asked for longest ago goes first. */
export function daysInMemory(): Days {
  const days = new Map<string, DayLife>();
  let idle: NodeJS.Timeout | undefined;
  const giveBack = () => {
    days.clear();
    collectGarbage();
  };
  return {
    of(person, date) {
      const key = `${person.account_id}/${date}`;
      const day = days.get(key) ?? lifeOfDay(person, date);
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

/** The dates of a person's calendar that a span touches, oldest first. */
export function datesIn({ traits: { zone } }: Person, { startMs, endMs }: Span): string[] {
  const dates: string[] = [];
  if (endMs <= startMs) return dates;
  const last = dateAt(zone, endMs - 1);
  for (let date = dateAt(zone, startMs); date <= last; date = addDays(date, 1)) dates.push(date);
  return dates;
}
