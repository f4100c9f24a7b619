import type { Queryable, Statement } from '../../../mixins/database.ts';
import type { ActivityLease } from './claim-activities.ts';
import { priorities } from './note-event.ts';

type Held = Pick<ActivityLease, 'user_id' | 'object_id' | 'attempt'>;

const held = 'where user_id = $1 and object_id = $2 and attempt = $3 and leased';
const valuesOf = ({ user_id, object_id, attempt }: Held) => [user_id, object_id, attempt];

const extend: Statement = {
  name: 'activitynet.extend',
  text: `
    update activitynet.activity set run_at = activitynet.clock($4) + $5 * interval '1 ms' ${held} returning object_id`,
};

/** Extends the lease of a job. Returns false if it was lost. */
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
      failures = 0, error = $5, streams_for = case when $10::boolean then null
        when version = $4 then coalesce($6, streams_for) else streams_for end,
      fetched_at = case when $7::boolean then activitynet.clock($8) else fetched_at end, prepaid = false,
      unconfirmed = case when version = $4 then false else unconfirmed end,
      delete_time = case when version = $4 and $10::boolean then greatest(delete_time, create_time, update_time)
        when version = $4 and unconfirmed and $9::boolean then null else delete_time end
    ${held} returning object_id`,
};

/**
 * The result of a finished job. `error`: it ended without a record. `streams`: the recording that is stored. `exists`:
 * an unconfirmed deletion is void. `deleted`: a read confirmed a deletion.
 */
export interface Finished {
  readonly error: string | null;
  readonly streams: string | null;
  readonly fetched: boolean;
  readonly exists: boolean;
  readonly deleted: boolean;
  readonly aheadMs: number;
}

/** Ends a job, unless other work was requested meanwhile. Returns false if the lease was lost. */
export async function finishActivity(
  database: Queryable,
  job: ActivityLease,
  { error, streams, fetched, aheadMs, exists, deleted }: Finished,
): Promise<boolean> {
  const values = [...valuesOf(job), job.version, error, streams, fetched, aheadMs, exists, deleted];
  return (await database.query(finish, values)).length > 0;
}

// Unauthenticated events that arrived after the deletion waited for it.
const finishDeletion: Statement = {
  name: 'activitynet.finish_deletion',
  text: `
    update activitynet.activity
    set work = case when version <> $4 then work
        when greatest(create_time, update_time, -1) > coalesce(delete_time, -1) then 'fetch' end,
      priority = case when version = $4 then ${priorities.live} else priority end,
      authenticated = case when version = $4 then false else authenticated end,
      unconfirmed = case when version = $4 then false else unconfirmed end,
      streams_for = null, error = null, leased = false, run_at = now(), crashes = 0, failures = 0, prepaid = false
    ${held} returning object_id`,
};

/** Ends a job whose activity is deleted for good. Returns false if the lease was lost. */
export async function finishDeleted(database: Queryable, job: ActivityLease): Promise<boolean> {
  return (await database.query(finishDeletion, [...valuesOf(job), job.version])).length > 0;
}

const confirm: Statement = {
  name: 'activitynet.await_confirmation',
  text: `
    update activitynet.activity
    set work = case when version = $4 then 'fetch' else work end,
      priority = case when version = $4 then ${priorities.live} else priority end,
      prepaid = true, leased = false, run_at = now(), crashes = 0, failures = 0
    ${held} returning object_id`,
};

/** Turns the job of a hidden activity into a fetch, whose read decides. Returns false if the lease was lost. */
export async function awaitConfirmation(database: Queryable, job: ActivityLease): Promise<boolean> {
  return (await database.query(confirm, [...valuesOf(job), job.version])).length > 0;
}

/** Delay of a job whose user has no reads left. Reservations may be released meanwhile, or a new window may begin. */
const postponedMs = 60_000;

// A postponed deletion hides nothing until its read is sent. A fetch that was requested anyway keeps its turn.
const postpone: Statement = {
  name: 'activitynet.postpone',
  text: `
    update activitynet.activity
    set work = case when version = $4 then 'fetch' else work end,
      priority = case when version <> $4 then priority when not authenticated then ${priorities.postponed}
        when history_id is not null then ${priorities.backfill} else ${priorities.live} end,
      run_at = case when version <> $4 or authenticated then now()
        else activitynet.clock($5) + ${postponedMs} * interval '1 ms' end,
      leased = false, crashes = 0
    ${held}`,
};

/** Postpones a job whose user has no reads left. */
export async function postponeActivity(
  database: Queryable,
  job: ActivityLease,
  aheadMs: number,
): Promise<void> {
  await database.query(postpone, [...valuesOf(job), job.version, aheadMs]);
}

const handBack: Statement = {
  name: 'activitynet.hand_back',
  text: `
    update activitynet.activity set leased = false, run_at = now(), crashes = 0 ${held} returning object_id`,
};

/** Releases a job without counting a failure. It keeps its turn. */
export async function handBackActivity(database: Queryable, job: Held): Promise<void> {
  await database.query(handBack, valuesOf(job));
}

/**
 * A job is given up after this many failures, which takes more than a day with delays of up to an hour. A hidden
 * activity is never given up before a read decides.
 */
const mostFailures = 30;

const retry: Statement = {
  name: 'activitynet.retry',
  text: `
    update activitynet.activity
    set failures = failures + 1, crashes = 0, leased = false, error = $5,
      work = case when failures + 1 < ${mostFailures} or version <> $7 or unconfirmed then work end,
      run_at = case when version = $7 then activitynet.clock($4) + $6 * interval '1 ms' else now() end
    ${held} returning work is null as is_given_up`,
};

/** Releases a failed job with a delay. Returns whether it is given up now. */
export async function retryActivity(
  database: Queryable,
  job: ActivityLease,
  failed: { readonly aheadMs: number; readonly reason: string; readonly delayMs: number },
): Promise<boolean> {
  const values = [...valuesOf(job), failed.aheadMs, failed.reason, failed.delayMs, job.version];
  const [row] = await database.query<{ is_given_up: boolean }>(retry, values);
  return row?.is_given_up ?? false;
}

const isDeleted = 'not unconfirmed and delete_time >= greatest(create_time, update_time, -1)';

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
