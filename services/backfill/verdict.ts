import type { BackfillRefusal, RequestedBackfill } from '../../domain/provider/provider.ts';
import { retryAfterMs } from '../../domain/time/retry-after.ts';
import type { ProviderAnswer } from '../../mixins/provider-api/provider-api.ts';
import type { NoBearer } from '../../mixins/provider-api/provider-tokens.ts';
import type { Reason } from './reasons.ts';

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
  /** The provider refuses the token. */
  | { readonly kind: 'unauthorized' }
  /** This process shuts down; another process continues. */
  | { readonly kind: 'interrupted' };

const defaultWaitMs = 60_000;
const waitBounds = { leastMs: 1000, mostMs: 3_600_000 };

/** The context of a request. `isRetry`: the provider may have accepted it before although the answer was lost. */
export interface Sent {
  readonly isRetry: boolean;
  readonly nowMs: number;
}

/** The outcome that an answer to a request means; `refusals` maps the provider's statuses to refusals. */
export function verdictOf(
  answer: ProviderAnswer,
  refusals: RequestedBackfill['refusals'],
  { isRetry, nowMs }: Sent,
): Verdict {
  const { status } = answer;
  const waitMs = retryAfterMs(answer.headers.get('retry-after'), nowMs, waitBounds);
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status === 401) return { kind: 'unauthorized' };
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
