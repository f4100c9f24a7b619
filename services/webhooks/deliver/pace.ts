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
export const longestWaitMs = dayMs;
/**
 * How long an endpoint that fails rests after each failure: a quarter of the time for which it has failed, at most a
 * minute. Its messages wait without an attempt, so that they cost the other endpoints nothing.
 */
export const restMs = (failingForMs: number): number => Math.min(Math.max(failingForMs, 0) / 4, minuteMs);
/** An endpoint without a success for this time is disabled. */
export const failingDays = 5;
/** An attempt without an outcome this often probably crashes its process. The message is not sent again. */
export const mostCrashes = 5;
