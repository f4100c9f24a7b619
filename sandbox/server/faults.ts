import { z } from 'zod';
import type { Clock } from '../simulation/clock.ts';
import { type Random, randomOf } from '../simulation/random.ts';

/**
 * Faults on demand. `error`: an API returns 500, 502 or 503 and does nothing else. `delay`: answers are slow.
 * `lost`: a request is served, and its answer is cut off. `rate_limit`: 429. `expiry`: access tokens expire early.
 * `duplicate`: notifications are sent twice. `disorder`: they are sent late and out of order. `garbage`: invalid
 * notifications are sent besides them, and callbacks return an invalid body. `dropped`: notifications are never sent.
 */
export const faultKinds = [
  'error',
  'delay',
  'lost',
  'rate_limit',
  'expiry',
  'duplicate',
  'disorder',
  'garbage',
  'dropped',
] as const;

/** A requested fault. It lasts `for_seconds` of the providers' clock, or until it is removed. */
export const FaultRequest = z.strictObject({
  kind: z.enum(faultKinds),
  probability: z.number().gt(0).max(1).default(1),
  /** Null: every provider. */
  provider: z.string().nullable().default(null),
  for_seconds: z.number().positive().nullable().default(null),
  /** The length of a `delay`, by the wall clock. */
  delay_ms: z.int().min(1).max(60_000).default(2000),
  /** The longest delay of `disorder`, by the providers' clock. */
  spread_seconds: z.number().positive().max(86_400).default(60),
});

/** An active fault. */
export interface Fault extends z.infer<typeof FaultRequest> {
  readonly id: number;
  readonly until_ms: number | null;
  /** How often it occurred. */
  hits: number;
}

export type FaultKind = (typeof faultKinds)[number];

/** The active faults. */
export interface Faults {
  readonly chance: Random;
  add(wish: z.infer<typeof FaultRequest>): Fault;
  list(): readonly Fault[];
  /** Removes one fault, or all with null; returns the number. */
  remove(id: number | null): number;
  /** The fault of this kind that occurs now, which is counted; null if none does. */
  trigger(kind: FaultKind, provider: string): Fault | null;
}

/** Starts without faults. The seed determines when a fault occurs. */
export function createFaults(clock: Clock, seed: string): Faults {
  let all: Fault[] = [];
  let last = 0;
  const chance = randomOf(`${seed}/faults`);
  const list = () => {
    const nowMs = clock.nowMs();
    all = all.filter(({ until_ms }) => until_ms === null || until_ms > nowMs);
    return all;
  };
  return {
    chance,
    list,
    add(wish) {
      const until_ms = wish.for_seconds === null ? null : clock.nowMs() + wish.for_seconds * 1000;
      const fault: Fault = { ...wish, id: ++last, until_ms, hits: 0 };
      all.push(fault);
      return fault;
    },
    remove(id) {
      const before = all.length;
      all = id === null ? [] : all.filter((one) => one.id !== id);
      return before - all.length;
    },
    trigger(kind, provider) {
      const concerned = list().filter(
        (one) => one.kind === kind && (one.provider === null || one.provider === provider),
      );
      const struck = concerned.find(({ probability }) => chance.chance(probability)) ?? null;
      if (struck !== null) struck.hits += 1;
      return struck;
    },
  };
}
