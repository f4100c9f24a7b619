import type { Database } from '../../mixins/database/database.ts';
import type { Environment } from '../../runtime/environment.ts';
import type { Held } from '../../runtime/jobs/job-worker.ts';
import type { ActivityLease } from './queries/claim-activities.ts';
import type { Reading, Unfound } from './reads.ts';

/** Dependencies of fetching. */
export interface Fetching extends Reading, Pick<Environment, 'call' | 'broker'> {
  readonly database: Database;
}

/** A claimed activity. */
export interface HeldActivity extends Held {
  readonly job: ActivityLease;
}

/**
 * The outcome of a job. `done`: stored, with the recording whose samples are stored now. `nothing`: there is nothing to
 * store, for a reason that is recorded (`isGone`: the connection has ended). `deleted`: a read confirmed a deletion.
 * `wait` and `failed`: as in ReadResult.
 */
export type Fetched =
  | { readonly kind: 'done'; readonly streams: string | null }
  | { readonly kind: 'nothing'; readonly reason: string; readonly isGone: boolean }
  | { readonly kind: 'deleted'; readonly isGone: boolean }
  | { readonly kind: 'wait' }
  | { readonly kind: 'failed'; readonly reason: string };

/** The outcome of a job whose read found nothing. */
export function unfetched(result: Unfound): Fetched {
  const { kind } = result;
  if (kind === 'wait') return { kind };
  if (kind === 'missing') return { kind: 'nothing', reason: 'NOT_FOUND', isGone: false };
  if (kind === 'failed') return { kind, reason: result.reason };
  return { kind: 'nothing', reason: result.reason, isGone: kind === 'gone' };
}
