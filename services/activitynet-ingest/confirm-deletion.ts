import { isDeepStrictEqual } from 'node:util';
import { type Fetched, type Fetching, type HeldActivity, unfetched } from './fetched.ts';
import type { ActivityLease } from './queries/claim-activities.ts';
import { forgetStoredStreams } from './queries/settle-activity.ts';
import type { Unfound } from './reads.ts';
import { type ReadingAll, readsAll } from './reads-all.ts';

/**
 * The outcome for an activity that a read did not find after a later event had superseded its deletion: 404, 403 and 401
 * confirm the deletion.
 */
export async function confirmDeletion(
  fetching: Fetching,
  { job, holds }: HeldActivity,
  result: Unfound,
): Promise<Fetched> {
  if (!(await holds())) return { kind: 'wait' };
  if (isConfirmed(result)) {
    await fetching.call('timeseries.deleteWorkout', workoutOf(job));
    return { kind: 'deleted', isGone: result.kind === 'gone' };
  }
  if (result.kind === 'refused') return { kind: 'failed', reason: result.reason };
  return unfetched(result);
}

/** Whether a job checks an activity that the provider did not list. A later event makes it an ordinary fetch. */
export function isUnlisted({ version, unlisted_version }: ActivityLease): boolean {
  return version === unlisted_version;
}

/**
 * The outcome for an activity that the provider did not list and that a read did not find: only 404 confirms the deletion,
 * and only if the connection that fetched the activity could read private ones before and after the read. The provider
 * answers 404 for private ones too. `before` is the answer of readsAll before the read.
 */
export async function confirmUnlisted(
  fetching: Fetching,
  { job, holds }: HeldActivity,
  result: Unfound,
  before: ReadingAll | null,
): Promise<Fetched> {
  if (result.kind !== 'missing') return unfetched(result);
  const after = await readsAll(fetching, job.user_id);
  const fetchedMs = job.fetched_at?.getTime() ?? 0;
  if (after === null || !isDeepStrictEqual(before, after) || after.connectedMs > fetchedMs)
    return unfetched(result);
  // If the process ends before it records the deletion, the next read may find the activity: it stores the streams again.
  if (!(await holds()) || !(await forgetStoredStreams(fetching.database, job))) return { kind: 'wait' };
  await fetching.call('timeseries.deleteWorkout', workoutOf(job));
  return { kind: 'deleted', isGone: false };
}

function isConfirmed(result: Unfound): boolean {
  if (result.kind === 'missing') return true;
  if (result.kind === 'refused') return result.reason === 'NOT_ALLOWED';
  return result.kind === 'gone' && result.reason === 'TOKEN_REFUSED';
}

/** The key of an activity in the store. */
export function workoutOf({ user_id, object_id }: ActivityLease) {
  return { user_id, provider: 'activitynet' as const, key: object_id };
}
