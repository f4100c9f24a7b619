import type { Database } from '../../mixins/database.ts';
import type { Environment } from '../../runtime/environment.ts';
import type { ActivityLease } from './queries/claim-activities.ts';
import type { Reading, Unfound } from './reads.ts';

/** What fetching takes. */
export interface Fetching extends Reading, Pick<Environment, 'call'> {
  readonly database: Database;
}

/** A job in hand: `holds` says, and sees to it, that it is still this process's. */
export interface Held {
  readonly job: ActivityLease;
  readonly signal: AbortSignal;
  readonly holds: () => Promise<boolean>;
}

/**
 * What came of a job: `done`, with the recording whose samples are stored now; `nothing` where there is nothing to
 * store, for a reason that is kept (`isGone`: the link is over); `deleted` where a read confirmed a deletion; `wait` and
 * `failed` as a read says it; `postponed` where the owner has no reads left for unauthenticated events.
 */
export type Fetched =
  | { readonly kind: 'done'; readonly streams: string | null; readonly isNew: boolean }
  | { readonly kind: 'nothing'; readonly reason: string; readonly isGone: boolean }
  | { readonly kind: 'deleted'; readonly isNew: boolean; readonly isGone: boolean }
  | { readonly kind: 'wait' }
  | { readonly kind: 'postponed' }
  | { readonly kind: 'failed'; readonly reason: string };

/** What came of a job whose read found nothing. */
export function unfetched(result: Unfound): Fetched {
  const { kind } = result;
  if (kind === 'wait') return { kind };
  if (kind === 'missing') return { kind: 'nothing', reason: 'NOT_FOUND', isGone: false };
  if (kind === 'failed') return { kind, reason: result.reason };
  return { kind: 'nothing', reason: result.reason, isGone: kind === 'gone' };
}
