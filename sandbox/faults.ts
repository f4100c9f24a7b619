import { z } from 'zod';
import type { Clock } from './clock.ts';
import { type Random, randomOf } from './random.ts';

/**
 * Faults on demand. `error`: an API answers 500, 502 or 503, having done nothing. `delay`: answers are slow.
 * `lost`: a request is served, and its answer breaks off. `rate_limit`: 429. `expiry`: access tokens end early.
 * `duplicate`: notifications come twice. `disorder`: they come late and out of order. `garbage`: garbage comes
 * beside them, and instead of data behind a callback.
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
] as const;

/** A requested fault. It lasts `for_seconds` by the providers' clock, without them until it is removed. */
export const FaultWish = z.strictObject({
  kind: z.enum(faultKinds),
  probability: z.number().gt(0).max(1).default(1),
  /** Null: every provider. */
  provider: z.string().nullable().default(null),
  for_seconds: z.number().positive().nullable().default(null),
  /** Of `delay`, by the wall's clock. */
  delay_ms: z.int().min(1).max(60_000).default(2000),
  /** Of `disorder`, by the providers' clock. */
  spread_seconds: z.number().positive().max(86_400).default(60),
});

/** An active fault. */
export interface Fault extends z.infer<typeof FaultWish> {
  readonly id: number;
  readonly until_ms: number | null;
  /** How often it has struck. */
  hits: number;
}

export type FaultKind = (typeof faultKinds)[number];

/** The active faults. */
export interface Faults {
  readonly chance: Random;
  add(wish: z.infer<typeof FaultWish>): Fault;
  list(): readonly Fault[];
  /** Removes one, or with null all; returns how many. */
  remove(id: number | null): number;
  /** The fault of this kind that strikes now; null where none does. */
  strike(kind: FaultKind, provider: string): Fault | null;
}

/** Starts without faults. The seed decides when one strikes. */
export function noFaults(clock: Clock, seed: string): Faults {
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
    strike(kind, provider) {
      const concerned = list().filter(
        (one) => one.kind === kind && (one.provider === null || one.provider === provider),
      );
      const struck = concerned.find(({ probability }) => chance.chance(probability)) ?? null;
      if (struck !== null) struck.hits += 1;
      return struck;
    },
  };
}
