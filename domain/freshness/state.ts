import { hourMs } from '../time/time.ts';

/** The states of a connection and kind of data. The state of a connection is the last of those of its kinds. */
export const freshnessStates = ['silent', 'paused', 'fresh', 'late', 'stale'] as const;
export type FreshnessState = (typeof freshnessStates)[number];

/** Why data of a stale connection is missing: none arrived, or the provider refused the access. */
export const staleReasons = ['no_data', 'access_ended'] as const;

/**
 * When data of a connection and kind arrived. `lastMs` is the last arrival of current data, null if there was none. `gapsMs`
 * are the longest gaps before arrivals of a day each, of at most the last 28 days with arrivals.
 */
export interface Rhythm {
  readonly arrivals: number;
  readonly lastMs: number | null;
  /** Data of the past arrived, such as that of a backfill. */
  readonly hasPast: boolean;
  readonly gapsMs: readonly number[];
}

/** What decides about a state beside the arrivals. */
export interface Circumstances {
  readonly nowMs: number;
  readonly connectedMs: number;
  /** The longest usual time between two arrivals by the provider's folder. Null: it states none. */
  readonly cadenceMs: number | null;
  /** The provider refused our access. */
  readonly isEnded: boolean;
  /** The user does not share this kind of data. */
  readonly isWithheld: boolean;
  /** The device sends other data, and a read for this kind found nothing: it is not worn. */
  readonly isUnworn: boolean;
}

/** A state, and when it changes without an arrival. */
export interface Judgement {
  readonly state: FreshnessState;
  /** Null: nothing is expected. */
  readonly expectedMs: number | null;
  readonly nextMs: number | null;
}

const leastArrivals = 5;
/** No rhythm is faster: half a day without uploads is nothing unusual. */
const shortestMs = 12 * hourMs;

/**
 * The time within which data is expected again: what the provider states, narrowed by the rhythm of the connection. The rhythm is
 * the 95th percentile (nearest rank) of the longest gap of each day. Percentiles of all gaps would ignore the night: a
 * device that sends every 15 minutes has 60 short gaps for each long one.
 */
export function expectedMs(cadenceMs: number | null, { arrivals, gapsMs }: Rhythm): number | null {
  const own = arrivals >= leastArrivals && gapsMs.length >= leastArrivals - 1 ? percentile95(gapsMs) : null;
  if (own === null) return cadenceMs;
  return Math.min(cadenceMs ?? Number.POSITIVE_INFINITY, Math.max(own, shortestMs));
}

function percentile95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
}

/** The state of a connection and kind of data at an instant. */
export function judge(rhythm: Rhythm, about: Circumstances): Judgement {
  const { nowMs, connectedMs, cadenceMs, isEnded, isWithheld, isUnworn } = about;
  const expected = expectedMs(cadenceMs, rhythm);
  const as = (state: FreshnessState, nextMs: number | null = null) => ({
    state,
    expectedMs: expected,
    nextMs,
  });
  if (isWithheld) return as('paused');
  if (rhythm.lastMs === null && !rhythm.hasPast) return as('silent');
  if (isEnded) return as('stale');
  if (expected === null) return as('fresh');
  // Who connects again has all the time of a new connection.
  const last = Math.max(rhythm.lastMs ?? 0, connectedMs);
  if (nowMs <= last + expected) return as('fresh', last + expected);
  if (isUnworn) return as('paused');
  return nowMs <= last + 2 * expected ? as('late', last + 2 * expected) : as('stale');
}

/** The state of a connection: `silent` and `paused` only if no kind of data is otherwise. */
export function worstOf(states: readonly FreshnessState[]): FreshnessState {
  const worst = Math.max(0, ...states.map((state) => freshnessStates.indexOf(state)));
  return freshnessStates[worst] ?? 'silent';
}
