import { type SimulatedDay, simulateDay } from '../../sandbox/day-simulation/day.ts';
import type { Span } from '../../sandbox/day-simulation/plan.ts';
import { bodyOf, type DataType, dataTypes, type PushBody } from '../../sandbox/devicemaker/payloads.ts';
import { sliceMs } from '../../sandbox/simulation/clock.ts';
import { type SimulatedUser, simulatedUsers } from '../../sandbox/simulation/simulated-users.ts';
import { addDays, instantOf } from '../../sandbox/simulation/zone.ts';

/** An instant after all days of these tests. */
export const laterMs = Date.UTC(2030, 0, 1);

/** A day and its notifications. */
export interface SentDay {
  readonly day: SimulatedDay;
  readonly name: string;
  readonly bodies: readonly PushBody[];
}

/** Days of all users around changes of daylight saving time in America, Europe and Australia. */
export function sentDays(): SentDay[] {
  return simulatedUsers('a seed').flatMap((user) =>
    ['2026-03-06', '2026-03-27', '2026-04-03'].flatMap((from) =>
      Array.from({ length: 5 }, (_, index) => sentOf(simulateDay(user, addDays(from, index)))),
    ),
  );
}

function sentOf(day: SimulatedDay): SentDay {
  const notes = notificationsOf(day, { types: dataTypes, nowMs: laterMs });
  return { day, name: `${day.user.traits.key} ${day.date}`, bodies: notes.map(({ body }) => body) };
}

/** One day of a user, by the key of the traits. */
export function dayOf(key: string, date: string): SimulatedDay {
  const user = simulatedUsers('a seed').find(({ traits }) => traits.key === key);
  if (user === undefined) throw new Error(`nobody is a ${key}`);
  return simulateDay(user, date);
}

/** The notification of one synchronisation. */
interface Notification {
  readonly atMs: number;
  readonly body: PushBody;
}

/** The types to send, the end, and the local hours of synchronisations in addition to the end of a day. */
interface Choice {
  readonly types: readonly DataType[];
  readonly nowMs: number;
  readonly syncHours?: readonly number[];
}

/** The notifications of one user's local day until now, oldest first. */
export function notificationsOf(day: SimulatedDay, { types, nowMs, syncHours }: Choice): Notification[] {
  return syncsOf(day.user, day.date, nowMs, syncHours)
    .map((sync) => ({ atMs: sync.endMs, body: bodyOf(day, types, sync) }))
    .filter(({ body }) => Object.keys(body).length > 0);
}

/** The synchronisations of a local day until now; the last is at the day's end or the last full quarter of an hour. */
function syncsOf(
  { traits: { zone } }: SimulatedUser,
  date: string,
  nowMs: number,
  syncHours: readonly number[] = [12, 18],
): Span[] {
  const startMs = instantOf(zone, date, 0);
  const slices = Math.floor((nowMs - startMs) / sliceMs);
  const lastMs = Math.min(instantOf(zone, addDays(date, 1), 0), startMs + slices * sliceMs);
  const ends = syncHours.map((hour) => instantOf(zone, date, hour * 60)).filter((ms) => ms < lastMs);
  if (lastMs > startMs) ends.push(lastMs);
  return ends.map((endMs, index) => ({ startMs: ends[index - 1] ?? startMs, endMs }));
}
