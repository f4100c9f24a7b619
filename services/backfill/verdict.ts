import type { BackfillRefusal, RequestedBackfill } from '../../domain/provider.ts';
import { retryAfterMs } from '../../domain/retry-after.ts';
import type { ProviderAnswer } from '../../mixins/provider-api.ts';
import type { NoBearer } from '../../mixins/provider-tokens.ts';
import type { Reason } from './reasons.ts';

/** What becomes of a step, and of its chain, after it was asked or could not be. */
export type Verdict =
  /** Its data is on the way. */
  | { readonly kind: 'accepted' }
  /** Nothing is to come; `wholeType` when that goes for the later spans of the type too. */
  | { readonly kind: 'skip'; readonly reason: Reason; readonly wholeType: boolean }
  | { readonly kind: 'fail'; readonly reason: Reason }
  /** The provider wants us to wait: no attempt is spent. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** It may heal: another attempt, as long as there are any. */
  | { readonly kind: 'again'; readonly atLeastMs: number }
  /** The chain ends. */
  | { readonly kind: 'stop'; readonly reason: Reason }
  /** The user is gone: nothing is kept of the backfill. */
  | { readonly kind: 'forget' }
  /** The provider refuses the token. */
  | { readonly kind: 'unauthorized' }
  /** This process stops: another goes on. */
  | { readonly kind: 'interrupted' };

const defaultWaitMs = 60_000;
const waitBounds = { leastMs: 1000, mostMs: 3_600_000 };

/** When a request was sent. `isRetry`: the provider may have accepted it before, and its answer was lost. */
export interface Sent {
  readonly isRetry: boolean;
  readonly nowMs: number;
}

/** What an answer to a request for past data means; `refusals` are the provider's statuses for its refusals. */
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
  if (status === 0 || status === 408 || status >= 500) return { kind: 'again', atLeastMs: waitMs ?? 0 };
  return { kind: 'fail', reason: 'REQUEST_REFUSED' };
}

// "Asked before" to a retry is as good as yes.
function refused(reason: BackfillRefusal, isRetry: boolean): Verdict {
  if (reason === 'HISTORY_WITHHELD') return { kind: 'stop', reason };
  if (reason === 'TYPE_OFF') return { kind: 'skip', reason, wholeType: true };
  return isRetry ? { kind: 'accepted' } : { kind: 'skip', reason, wholeType: false };
}

/** What it means that there is no token to ask with. */
export function verdictWithout(none: NoBearer): Verdict {
  if (none.kind === 'later') return { kind: 'again', atLeastMs: 0 };
  return none.reason === 'USER_GONE' ? { kind: 'forget' } : { kind: 'stop', reason: none.reason };
}
