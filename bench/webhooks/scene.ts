import type pg from 'pg';
import type { Bench } from '../bench.ts';
import { makeChanges } from './changes.ts';
import { drained } from './endpoints.ts';
import type { Receiver } from './receiver.ts';

/** The endpoints, and the database of the product that sends to them. */
export interface Scene {
  readonly bench: Bench;
  readonly receiver: Receiver;
  readonly pool: pg.Pool;
}

/** Delays of messages from the shortest to the longest, and the rate of the changes. */
export interface Delays {
  readonly delaysMs: readonly number[];
  readonly reached: number;
}

/** Makes changes and waits until the good endpoints received them. @throws Error if a change was not received */
export async function delaysOf(
  { receiver, pool }: Scene,
  bounds: { readonly perSecond: number; readonly ms: number },
): Promise<Delays> {
  await receiver.times();
  const { made, perSecond: reached } = await makeChanges(pool, bounds);
  await drained(pool);
  const times = await receiver.times();
  if (times.length < made) throw new Error(`${times.length} messages of ${made} changes arrived`);
  return { delaysMs: times.toSorted((a, b) => a - b), reached };
}

/** The value below which a share of sorted values lies. */
export function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
