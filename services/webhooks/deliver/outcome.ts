import { retryAfterMs } from '../../../domain/time/retry-after.ts';
import type { MessageLease } from '../queries/claim-messages.ts';
import type { Attempt } from './attempt.ts';
import { type DeliveryPace, longestWaitMs, retryDelaysMs } from './pace.ts';

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
  { failures, change_id }: Pick<MessageLease, 'failures' | 'change_id'>,
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
