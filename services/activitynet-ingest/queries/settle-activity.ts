import type { Queryable, Statement } from '../../../mixins/database.ts';
import type { ActivityLease } from './claim-activities.ts';

type Held = Pick<ActivityLease, 'user_id' | 'object_id' | 'attempt'>;

const held = 'where user_id = $1 and object_id = $2 and attempt = $3 and leased';
const valuesOf = ({ user_id, object_id, attempt }: Held) => [user_id, object_id, attempt];

const extend: Statement = {
  name: 'activitynet.extend',
  text: `
    update activitynet.activity set run_at = activitynet.clock($4) + $5 * interval '1 ms' ${held} returning object_id`,
};

/** Keeps a job; false where it was lost. */
export async function extendLease(
  database: Queryable,
  job: Held,
  aheadMs: number,
  leaseMs: number,
): Promise<boolean> {
  return (await database.query(extend, [...valuesOf(job), aheadMs, leaseMs])).length > 0;
}

const finish: Statement = {
  name: 'activitynet.finish',
  text: `
    update activitynet.activity
    set work = case when version = $4 then null else work end, leased = false, run_at = now(), crashes = 0,
      failures = 0, error = $5, streams_for = case when version = $4 then coalesce($6, streams_for) else streams_for end,
      fetched_at = case when $7::boolean then activitynet.clock($8) else fetched_at end
    ${held} returning object_id`,
};

/** What a finished job leaves: `error` where it ended without a record, `streams` the recording that is stored. */
export interface Finished {
  readonly error: string | null;
  readonly streams: string | null;
  readonly fetched: boolean;
  readonly aheadMs: number;
}

/** Ends a job, unless other work was asked for meanwhile; false where it was lost. */
export async function finishActivity(
  database: Queryable,
  job: ActivityLease,
  { error, streams, fetched, aheadMs }: Finished,
): Promise<boolean> {
  const values = [...valuesOf(job), job.version, error, streams, fetched, aheadMs];
  return (await database.query(finish, values)).length > 0;
}

const handBack: Statement = {
  name: 'activitynet.hand_back',
  text: `
    update activitynet.activity set leased = false, run_at = now(), crashes = 0 ${held} returning object_id`,
};

/** Lets go of a job without blame: it keeps its turn. */
export async function handBackActivity(database: Queryable, job: Held): Promise<void> {
  await database.query(handBack, valuesOf(job));
}

/** After so many failures a job is given up; with pauses of up to an hour that is more than a day. */
const mostFailures = 30;

const retry: Statement = {
  name: 'activitynet.retry',
  text: `
    update activitynet.activity
    set failures = failures + 1, crashes = 0, leased = false, error = $5,
      work = case when failures + 1 < ${mostFailures} or version <> $7 then work end,
      run_at = case when version = $7 then activitynet.clock($4) + $6 * interval '1 ms' else now() end
    ${held} returning work is null as is_given_up`,
};

/** Lets go of a job that failed, for a while; tells whether it is given up now. */
export async function retryActivity(
  database: Queryable,
  job: ActivityLease,
  failed: { readonly aheadMs: number; readonly reason: string; readonly delayMs: number },
): Promise<boolean> {
  const values = [...valuesOf(job), failed.aheadMs, failed.reason, failed.delayMs, job.version];
  const [row] = await database.query<{ is_given_up: boolean }>(retry, values);
  return row?.is_given_up ?? false;
}

// Whoever stored something after its lease was lost may have stored it over a deletion: the row says what holds.
const reopen: Statement = {
  name: 'activitynet.reopen',
  text: `
    update activitynet.activity
    set version = version + 1, work = case when delete_time >= greatest(create_time, update_time, -1) then 'delete'
        else coalesce(work, 'fetch') end,
      priority = case when delete_time >= greatest(create_time, update_time, -1) then -1 else priority end,
      streams_for = null, run_at = case when leased then run_at else now() end
    where user_id = $1 and object_id = $2`,
};

/** Asks for the work of an activity once more. */
export async function reopenActivity(
  database: Queryable,
  { user_id, object_id }: Pick<ActivityLease, 'user_id' | 'object_id'>,
): Promise<void> {
  await database.query(reopen, [user_id, object_id]);
}
