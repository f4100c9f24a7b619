import { retryAfterMs } from '../../../domain/time/retry-after.ts';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';

/** Timing and parallelism of deliveries. Production uses the defaults. Tests set others. */
export interface DeliveryPace {
  readonly pollMs: number;
  /** A lease expires after this time without an extension. Another process may then send the message. */
  readonly leaseMs: number;
  /** Messages in progress at once per endpoint and process. */
  readonly parallel: number;
  /** Timeout of name resolution, TCP and TLS. */
  readonly connectMs: number;
  /** Timeout of a whole attempt. */
  readonly totalMs: number;
  /** How far a test has moved the clock forward. 0 in production. */
  readonly aheadMs: () => number;
  /** From 0 to 1, for the jitter of retries. */
  readonly random: () => number;
}

/** The production values. */
export const deliveryPace: DeliveryPace = {
  pollMs: 500,
  leaseMs: 30_000,
  parallel: 4,
  connectMs: 5000,
  totalMs: 15_000,
  aheadMs: () => 0,
  random: Math.random,
};

/** Delays after failed attempts. After the last one a message is not sent again by itself. */
export const retryDelaysMs: readonly number[] = [
  5000,
  5 * minuteMs,
  30 * minuteMs,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs),
];
/** The longest wait that an endpoint may ask for. */
const longestWaitMs = dayMs;
/**
 * The pause after each failure of a failing endpoint: a quarter of the time for which it has failed, at most a minute.
 * During the pause its messages are not attempted and take no capacity from other endpoints.
 */
export const restMs = (failingForMs: number): number => Math.min(Math.max(failingForMs, 0) / 4, minuteMs);
/** An endpoint without a success for this time is disabled. */
export const failingDays = 5;
/**
 * A message whose attempts ended without an outcome this often probably crashes the process. It is not sent again.
 */
export const mostCrashes = 5;

/** What becomes of a message after an attempt. */
export interface Outcome {
  readonly state: 'waiting' | 'delivered' | 'failed' | 'dropped';
  /** Delay of the next attempt of a waiting message. */
  readonly delayMs: number;
  readonly isFailure: boolean;
  /** Null: nothing was sent, and nothing is recorded. */
  readonly attempt: Attempt | null;
  /** How long the endpoint asks to wait. */
  readonly pauseMs: number | null;
}

const settled = { delayMs: 0, isFailure: false, attempt: null, pauseMs: null };

/** The change of the message no longer exists. */
export const dropped: Outcome = { ...settled, state: 'dropped' };
/** The process stops: the message is due again at once. */
export const handedBack: Outcome = { ...settled, state: 'waiting' };
/** Each attempt ended without an outcome. */
export const crashed = (attempt: Attempt): Outcome => ({ ...settled, state: 'failed', attempt });

/** The outcome of an attempt: the retries of a test and of a message with the last delay are used up. */
export function outcomeOf(
  { failures, change_id }: { readonly failures: number; readonly change_id: string | null },
  attempt: Attempt,
  { random }: Pick<DeliveryPace, 'random'>,
): Outcome {
  if (attempt.error === null) return { ...settled, state: 'delivered', attempt };
  if (attempt.error === 'STOPPED') return { ...handedBack, attempt };
  const pauseMs = retryAfterMs(attempt.retryAfter, Date.now(), { mostMs: longestWaitMs });
  const retryMs = change_id === null ? undefined : retryDelaysMs[failures];
  const failed = { isFailure: true, attempt, pauseMs };
  if (retryMs === undefined) return { ...failed, state: 'failed', delayMs: 0 };
  // Up to a tenth more or less, so that the retries of an outage do not come together.
  const delayMs = Math.max(pauseMs ?? 0, retryMs * (0.9 + random() / 5));
  return { ...failed, state: 'waiting', delayMs: Math.round(delayMs) };
}

/** The result of one attempt. `error` is null after 2xx, otherwise a code. */
export interface Attempt {
  readonly error: string | null;
  /** Null: no answer. */
  readonly status: number | null;
  readonly retryAfter: string | null;
  readonly durationMs: number;
  /** The beginning of the answer. */
  readonly answer: string | null;
}

/** Codes of failures that say nothing about the endpoint. */
const ownErrors = ['DATA_UNAVAILABLE', 'NOT_SIGNED'];

/** Whether an attempt failed before the endpoint was involved. */
export function isOwnFailure(attempt: Attempt | null): boolean {
  return ownErrors.includes(attempt?.error ?? '');
}

/** An attempt that failed before anything was sent. */
export function unsent(error: string): Attempt {
  return { error, status: null, retryAfter: null, durationMs: 0, answer: null };
}
