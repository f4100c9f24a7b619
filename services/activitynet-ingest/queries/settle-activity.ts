import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { changes } from '../../../mixins/jobs/job-table.ts';
import { type ActivityKey, activityWrites, rowOf } from './activity-table.ts';
import type { ActivityLease } from './claim-activities.ts';
import { priorities } from './note-event.ts';

const { update, extend } = activityWrites;

/** Extends the lease of a job. Returns false if it was lost. */
export function extendActivity(
  database: Queryable,
  job: ActivityKey,
  { aheadMs, leaseMs }: { readonly aheadMs: number; readonly leaseMs: number },
): Promise<boolean> {
  return extend(database, rowOf(job), leaseMs, aheadMs);
}

// A read that found nothing may have been for another account than the read that fetched the activity.
const finish = update(
  'finish',
  `work = case when version = $4 then null else work end, leased = false, run_at = now(), crashes = 0,
    failures = 0, error = $5,
    fetched_at = case when $5::text is null then activitynet.clock($8) else fetched_at end,
    streams_for = case when $7::boolean then null
      when version = $4 then coalesce($6, streams_for) else streams_for end,
    delete_time = case when version = $4 and $7::boolean then greatest(delete_time, create_time, update_time, $9::bigint)
      else delete_time end`,
);

/**
 * The result of a finished job. `error`: it ended without a record. `streams`: the recording that is stored. `deleted`:
 * a read confirmed a deletion. `deletedMs`: when a read found that an activity
 * is deleted whose deletion no event reported.
 */
export interface Finished {
  readonly error: string | null;
  readonly streams: string | null;
  readonly deleted: boolean;
  readonly deletedMs: number | null;
  readonly aheadMs: number;
  /** How long the work took: what it read was read after its beginning. */
  readonly tookMs: number;
}

/** Ends a job, unless other work was requested meanwhile. Returns false if the lease was lost. */
export function finishActivity(
  database: Queryable,
  job: ActivityLease,
  { error, streams, deleted, deletedMs, aheadMs, tookMs }: Finished,
): Promise<boolean> {
  const deletedSeconds = deletedMs === null ? null : Math.floor(deletedMs / 1000);
  const values = [job.version, error, streams, deleted, aheadMs - tookMs, deletedSeconds];
  return changes(database, finish, rowOf(job), ...values);
}

const finishDeletion = update(
  'finish_deletion',
  `work = case when version = $4 then null else work end, streams_for = null, error = null, leased = false,
    run_at = now(), crashes = 0, failures = 0`,
);

/** Ends a job whose activity is deleted for good. Returns false if the lease was lost. */
export function finishDeleted(database: Queryable, job: ActivityLease): Promise<boolean> {
  return changes(database, finishDeletion, rowOf(job), job.version);
}

const forgetStreams = update('forget_streams', 'streams_for = null');

/** Records that no streams are stored, before they are deleted. Returns false if the lease was lost. */
export function forgetStoredStreams(database: Queryable, job: ActivityLease): Promise<boolean> {
  return changes(database, forgetStreams, rowOf(job));
}

const handBack = update('hand_back', 'leased = false, run_at = now(), crashes = 0');

/** Releases a job without counting a failure. It keeps its turn. Returns false if the lease was lost. */
export function handBackActivity(database: Queryable, job: ActivityLease): Promise<boolean> {
  return changes(database, handBack, rowOf(job));
}

/** A job is given up after this many failures, which takes more than a day with delays of up to an hour. */
const mostFailures = 30;

const retry = update(
  'retry',
  `failures = failures + 1, crashes = 0, leased = false, error = $5,
    work = case when failures + 1 < ${mostFailures} or version <> $7 then work end,
    run_at = case when version = $7 then activitynet.clock($4) + $6 * interval '1 ms' else now() end`,
  'work is null as is_given_up',
);

/** Releases a failed job with a delay. Returns whether it is given up now. */
export async function retryActivity(
  database: Queryable,
  job: ActivityLease,
  failed: { readonly aheadMs: number; readonly reason: string; readonly delayMs: number },
): Promise<boolean> {
  const { key, attempt } = rowOf(job);
  const values = [attempt, ...key, failed.aheadMs, failed.reason, failed.delayMs, job.version];
  const [row] = await database.query<{ is_given_up: boolean }>(retry, values);
  return row?.is_given_up ?? false;
}

const giveUp = update(
  'give_up',
  "work = case when version = $4 then null else work end, leased = false, error = 'CRASHED', run_at = now()",
);

/** Gives up a job that probably crashes its process. Returns false if the lease was lost. */
export function giveUpCrashed(database: Queryable, job: ActivityLease): Promise<boolean> {
  return changes(database, giveUp, rowOf(job), job.version);
}

const isDeleted = 'delete_time >= greatest(create_time, update_time, -1)';

// A process that stored data after it lost its lease may have stored it over a deletion. The work is repeated from the
// row.
const reopen: Statement = {
  name: 'activitynet.reopen',
  text: `
    update activitynet.activity
    set version = version + 1, work = case when ${isDeleted} then 'delete' else coalesce(work, 'fetch') end,
      priority = case when ${isDeleted} then ${priorities.delete} else priority end,
      streams_for = null, run_at = case when leased then run_at else now() end
    where user_id = $1 and object_id = $2`,
};

/** Requests the work of an activity again. */
export async function reopenActivity(
  database: Queryable,
  { user_id, object_id }: Pick<ActivityLease, 'user_id' | 'object_id'>,
): Promise<void> {
  await database.query(reopen, [user_id, object_id]);
}
