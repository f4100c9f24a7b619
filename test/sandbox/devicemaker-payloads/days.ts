import { dataTypes, notificationsOf, type PushBody } from '../../../sandbox/devicemaker/payloads.ts';
import { type DayLife, lifeOfDay } from '../../../sandbox/life/day.ts';
import { peopleOf } from '../../../sandbox/people.ts';
import { addDays } from '../../../sandbox/zone.ts';

/** A time after all days of these tests. */
export const laterMs = Date.UTC(2030, 0, 1);

/** A day and all that is sent of it. */
export interface SentDay {
  readonly day: DayLife;
  readonly name: string;
  readonly bodies: readonly PushBody[];
}

/** Days of everybody around the changes of the clocks in America, Europe and Australia. */
export function sentDays(): SentDay[] {
  return peopleOf('a seed').flatMap((person) =>
    ['2026-03-06', '2026-03-27', '2026-04-03'].flatMap((from) =>
      Array.from({ length: 5 }, (_, index) => sentOf(lifeOfDay(person, addDays(from, index)))),
    ),
  );
}

function sentOf(day: DayLife): SentDay {
  const notes = notificationsOf(day, { types: dataTypes, nowMs: laterMs });
  return { day, name: `${day.person.traits.key} ${day.date}`, bodies: notes.map(({ body }) => body) };
}

/** One day of somebody, by the key of their traits. */
export function dayOf(key: string, date: string): DayLife {
  const person = peopleOf('a seed').find(({ traits }) => traits.key === key);
  if (person === undefined) throw new Error(`nobody is a ${key}`);
  return lifeOfDay(person, date);
}

/** The sum of some numbers. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Whether a map's keys are whole seconds within a length, as text. */
export function isOffsetMap(map: Record<string, number>, seconds: number): boolean {
  return Object.keys(map).every((key) => /^(0|[1-9]\d*)$/.test(key) && Number(key) < seconds);
}
