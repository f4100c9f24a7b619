import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Arrival } from './receiver.ts';

/** Objects by their key. Undefined: an object whose content is not compared. */
export type State = ReadonlyMap<string, unknown>;

/** The highest number is right. The other one is a planted fault: the check must find it. */
export type Order = 'highest sequence' | 'arrival';

/** What an application knows after it processed messages. `withRecord`: the records of messages instead of their fields. */
export function stateOf(arrivals: readonly Arrival[], order: Order, withRecord: boolean): State {
  const newest = new Map<string, Arrival>();
  for (const arrival of arrivals) {
    const key = keyOf(arrival);
    const known = key === null ? undefined : newest.get(key);
    if (key === null) continue;
    if (order === 'arrival' || known === undefined || sequenceOf(arrival) >= sequenceOf(known))
      newest.set(key, arrival);
  }
  const deleted = new Set(
    arrivals.filter(({ type }) => type === 'user.deleted').map(({ data }) => data.user_id),
  );
  const kept = [...newest].filter(([, { data }]) => !deleted.has(data.user_id));
  const values = kept.map(([key, arrival]) => [key, contentOf(arrival, withRecord)] as const);
  return new Map(values.filter(([, value]) => value !== null));
}

/** The number of a change among those of its user. */
export const sequenceOf = ({ data }: Pick<Arrival, 'data'>): number => Number(data.sequence);

// Errors and freshness are not part of the compared state of a connection.
const stateless = new Set([
  ...['backfill.type_completed', 'connection.error', 'connection.recovered'],
  ...['connection.stale', 'connection.fresh'],
]);

/** The object that a change is about. Null: it has no state. */
export function keyOf({ type, data }: Pick<Arrival, 'type' | 'data'>): string | null {
  const [kind = ''] = type.split('.');
  const ids: Record<string, unknown> = {
    ...{ user: '', connection: data.connection_id, workout: data.id, sleep: data.id },
    ...{ activity_summary: data.date, day: data.date, body: '', backfill: data.backfill_id },
  };
  if (!(kind in ids) || stateless.has(type)) return null;
  return [kind, data.user_id, ids[kind]].join(' ').trimEnd();
}

// Null: the object does not exist.
function contentOf({ type, data }: Arrival, withRecord: boolean): unknown {
  const [kind, action] = type.split('.');
  const { start_time, end_time, provider, device } = data;
  if (action === 'deleted') return null;
  switch (kind) {
    case 'user':
      return { external_user_id: data.external_user_id };
    case 'connection':
      return { provider, status: action === 'created' ? 'active' : action };
    case 'backfill':
      return { provider, status: data.status ?? 'running', start_time, end_time };
    case 'workout':
      return withRecord ? data.record : { provider, device, type: data.type, start_time, end_time };
    case 'sleep':
      return withRecord ? data.record : { provider, device, is_nap: data.is_nap, start_time, end_time };
    default:
      return withRecord ? data.record : undefined;
  }
}

/** The objects in which what was received differs from what is stored. */
export function differences(received: State, stored: State): string[] {
  const keys = [...new Set([...received.keys(), ...stored.keys()])];
  return keys.flatMap((key) => {
    const isCompared = !received.has(key) || received.get(key) !== undefined;
    if (!isCompared && !stored.has(key)) return [];
    if (!stored.has(key)) return `${key}: received only: ${JSON.stringify(received.get(key))}`;
    if (!received.has(key)) return `${key}: stored only: ${JSON.stringify(stored.get(key))}`;
    const [have, want] = [received.get(key), stored.get(key)];
    if (have === undefined || isDeepStrictEqual(have, want)) return [];
    return `${key}: ${JSON.stringify(have)}, not ${JSON.stringify(want)}`;
  });
}

/**
 * The content of bodies that does not depend on the time at which it is read: without the period of its means, and of the
 * other users not at all, because their last readings become too old while the test runs.
 */
export function comparable(state: State, isPushed: (userId: string) => boolean): State {
  return new Map(
    [...state].map(([key, value]) => {
      const [kind, userId = ''] = key.split(' ');
      if (kind !== 'body' || value === undefined) return [key, value];
      return [key, isPushed(userId) ? withoutPeriod(value) : undefined];
    }),
  );
}

const Body = z.looseObject({ averaged: z.looseObject({}) });

function withoutPeriod(value: unknown): unknown {
  const { averaged, ...body } = Body.parse(value);
  const { period_start: _, period_end: _1, ...means } = averaged;
  return { ...body, averaged: means };
}
