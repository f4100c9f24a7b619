import { accessReasons } from '../../../domain/access-reasons.ts';
import type { BackfillRefusal, RequestedBackfill } from '../../../domain/provider/provider.ts';
import { retryAfterMs } from '../../../domain/time/retry-after.ts';
import type { ProviderAnswer } from '../../../mixins/provider-api/provider-api.ts';
import type { NoBearer } from '../../../mixins/provider-api/provider-tokens.ts';

/** The outcome of the request of a step, or of the failure to send it. */
export type Verdict =
  /** The provider sends the data later. */
  | { readonly kind: 'accepted' }
  /** No data will be sent; `wholeType`: for the other spans of the type neither. */
  | { readonly kind: 'skip'; readonly reason: Reason; readonly wholeType: boolean }
  | { readonly kind: 'fail'; readonly reason: Reason }
  /** The provider requires a pause; the attempt is not counted. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** A temporary failure: the step is retried while attempts are left. */
  | { readonly kind: 'retry'; readonly atLeastMs: number }
  /** The backfill ends. */
  | { readonly kind: 'stop'; readonly reason: Reason }
  /** The user is deleted: the backfill is deleted. */
  | { readonly kind: 'forget' }
  /** This process shuts down; another process continues. */
  | { readonly kind: 'interrupted' };

const defaultWaitMs = 60_000;
const waitBounds = { leastMs: 1000, mostMs: 3_600_000 };

/**
 * The outcome that an answer to a request means; `refusals` maps the provider's statuses to refusals. `isRetry`: the
 * provider may have accepted the request before although the answer was lost.
 */
export function verdictOf(
  answer: ProviderAnswer,
  refusals: RequestedBackfill['refusals'],
  { isRetry, nowMs }: { readonly isRetry: boolean; readonly nowMs: number },
): Verdict {
  const { status } = answer;
  const waitMs = retryAfterMs(answer.headers.get('retry-after'), nowMs, waitBounds);
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  const refusal = refusals[status];
  if (refusal !== undefined) return refused(refusal, isRetry);
  if (status === 429) return { kind: 'wait', ms: waitMs ?? defaultWaitMs };
  if (status === 0 || status === 408 || status >= 500) return { kind: 'retry', atLeastMs: waitMs ?? 0 };
  return { kind: 'fail', reason: 'REQUEST_REFUSED' };
}

// "Requested before" as the answer to a retry means that the first attempt was accepted.
function refused(reason: BackfillRefusal, isRetry: boolean): Verdict {
  if (reason === 'HISTORY_WITHHELD') return { kind: 'stop', reason };
  if (reason === 'TYPE_OFF') return { kind: 'skip', reason, wholeType: true };
  return isRetry ? { kind: 'accepted' } : { kind: 'skip', reason, wholeType: false };
}

/** The outcome if there is no access token. */
export function verdictWithout(none: NoBearer): Verdict {
  if (none.kind === 'later') return { kind: 'retry', atLeastMs: 0 };
  return none.reason === 'USER_GONE' ? { kind: 'forget' } : { kind: 'stop', reason: none.reason };
}

/** Why a backfill ended early or a request returned no data: the stored code and its public sentence. */
const reasons = {
  ...accessReasons,
  CONNECTION_REPLACED: 'The account was connected again during the backfill.',
  HISTORY_WITHHELD: 'The user does not permit the provider to send past data.',
  TOOK_TOO_LONG: 'The backfill did not finish within 30 days.',
  ALL_FAILED: 'No request succeeded.',
  NOTHING_CAME: 'No data arrived in time. The provider may have no data for this span.',
  ASKED_BEFORE: 'This span was requested before, and the provider sends it only once.',
  TYPE_OFF: 'This data type is disabled at the provider.',
  PROVIDER_FAILED: 'The provider failed or did not respond too many times.',
  REQUEST_REFUSED: 'The provider refused the request.',
  ENDED: 'The backfill ended before this request.',
} as const;

/** The name of a reason, as it is stored. */
export type Reason = keyof typeof reasons;

/** The sentence of a stored code; null where there is none. */
export function sentenceOf(code: string | null): string | null {
  return code !== null && isReason(code) ? reasons[code] : null;
}

function isReason(code: string): code is Reason {
  return Object.hasOwn(reasons, code);
}
