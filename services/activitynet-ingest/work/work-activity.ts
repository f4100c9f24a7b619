import { isError } from '../../../domain/errors.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { backoffMs } from '../../../runtime/jobs/backoff.ts';
import {
  type ActivityLease,
  finishActivity,
  giveUpCrashed,
  handBackActivity,
  reopenActivity,
  retryActivity,
} from '../tables/activities.ts';
import { deleteUser, dropConnection } from '../tables/drop-work.ts';
import { finishBackfill } from '../tables/listings.ts';
import {
  type Fetched,
  type Fetching,
  fetchActivity,
  type HeldActivity,
  isUnlisted,
  workoutOf,
} from './fetch-activity.ts';

/** The outcome of a job. `crashed`: it is given up, because it probably crashes its process. */
type Worked = Fetched | { readonly kind: 'crashed' };

/** A job whose lease expired without an outcome this often is given up. */
const mostCrashes = 5;

/**
 * Works on an activity and stores the outcome. Returns its name: `dead` if the job is given up. `rest` is called before
 * a job that could not read is due again.
 */
export async function workOnActivity(
  deps: Fetching,
  activity: HeldActivity,
  rest: () => void,
): Promise<string> {
  const { user_id, attempt, work } = activity.job;
  const beganMs = performance.now();
  const worked = await resultOf(deps, activity);
  if (worked.kind === 'wait') rest();
  const reason = 'reason' in worked ? worked.reason : undefined;
  // The log omits the activity's id: at the provider it leads to a public page that names the athlete.
  deps.logger.info('activity.worked', { user_id, attempt, work, outcome: worked.kind, reason });
  const isGivenUp = await settle(deps, activity.job, worked, beganMs);
  if (isGivenUp) deps.logger.warn('activity.given_up', { user_id, reason: reason ?? 'CRASHED' });
  return isGivenUp ? 'dead' : worked.kind;
}

async function resultOf(deps: Fetching, activity: HeldActivity): Promise<Worked> {
  const { job } = activity;
  if (job.crashes > mostCrashes) return { kind: 'crashed' };
  try {
    return job.work === 'fetch' ? await fetchActivity(deps, activity) : await erase(deps, job);
  } catch (error) {
    return { kind: 'failed', reason: codeOf(error) };
  }
}

// An event that was in work while the user was deleted may have made the job after the user's other jobs were deleted.
async function erase({ call }: Fetching, job: ActivityLease): Promise<Worked> {
  const { record_id } = await call('timeseries.deleteWorkout', workoutOf(job));
  if (record_id !== null) return { kind: 'deleted', isGone: false };
  const user = { user_id: job.user_id, provider: 'activitynet' } as const;
  const isGone = await call('users.tokens', user).then(
    () => false,
    (error: unknown) => isError(error, 'USER_NOT_FOUND'),
  );
  return isGone ? { kind: 'nothing', reason: 'USER_GONE', isGone } : { kind: 'deleted', isGone };
}

// Returns whether the job is given up.
async function settle(deps: Fetching, job: ActivityLease, worked: Worked, beganMs: number): Promise<boolean> {
  const { database, pace } = deps;
  switch (worked.kind) {
    case 'wait':
      await handBackActivity(database, job);
      return false;
    case 'failed': {
      const failed = { aheadMs: pace.aheadMs(), reason: worked.reason, delayMs: backoffMs(job.failures + 1) };
      return givenUp(deps, job, await retryActivity(database, job, failed));
    }
    case 'crashed':
      return givenUp(deps, job, await giveUpCrashed(database, job));
    default:
      await finish(deps, job, worked, beganMs);
      return false;
  }
}

async function givenUp({ database }: Fetching, job: ActivityLease, isGivenUp: boolean): Promise<boolean> {
  if (isGivenUp) await closeBackfill(database, job);
  return isGivenUp;
}

async function closeBackfill(database: Fetching['database'], { backfill_id }: ActivityLease): Promise<void> {
  if (backfill_id !== null) await finishBackfill(database, backfill_id);
}

async function finish(
  deps: Fetching,
  job: ActivityLease,
  result: Extract<Fetched, { kind: 'done' | 'nothing' | 'deleted' }>,
  beganMs: number,
): Promise<void> {
  const { database, pace } = deps;
  const isHeld = await finishActivity(database, job, {
    error: result.kind === 'nothing' ? result.reason : null,
    streams: result.kind === 'done' ? result.streams : null,
    deleted: result.kind === 'deleted',
    deletedMs: isUnlisted(job) ? Date.now() + pace.aheadMs() : null,
    aheadMs: pace.aheadMs(),
    tookMs: performance.now() - beganMs,
  });
  // This work may have overwritten the outcome of the new holder.
  if (!isHeld && result.kind !== 'nothing') return reopenActivity(database, job);
  if (result.kind === 'nothing' && result.reason === 'USER_GONE') await deleteUser(database, job.user_id);
  else if (result.kind !== 'done' && result.isGone) await dropConnection(database, job.connection_id);
  if (result.kind === 'done') await noteSynced(deps, job);
  await closeBackfill(database, job);
}

// The time of the last sync is informational: an error here does not fail the fetch.
async function noteSynced({ call }: Fetching, { connection_id }: ActivityLease): Promise<void> {
  await call('users.synced', { connection_ids: [connection_id] }).catch(() => undefined);
}
