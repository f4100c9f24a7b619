import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import {
  changes,
  claimStatement,
  fencedWrites,
  type JobTable,
  type LeasedRow,
} from '../../../mixins/jobs/job-table.ts';

/** The activities as jobs. `crashes` counts the claims without an outcome. */
const activityTable: JobTable = {
  name: 'activitynet',
  table: 'activitynet.activity',
  key: { user_id: 'uuid', object_id: 'bigint' },
  attempt: 'attempt',
  lease: 'crashes = j.crashes + 1, leased = true',
  isLeased: 'leased',
  now: (parameter) => `activitynet.clock($${parameter})`,
};

/** Writes of the holder of an activity. Parameters of a change begin with `$4`. */
const activityWrites = fencedWrites(activityTable);

/** The key and the attempt of a claimed activity. */
interface ActivityKey {
  readonly user_id: string;
  readonly object_id: string;
  readonly attempt: number;
}

/** A claimed activity as a row of the table. */
const rowOf = ({ user_id, object_id, attempt }: ActivityKey): LeasedRow => ({
  key: [user_id, object_id],
  attempt,
});

/** A claimed job. `attempt` fences writes. `version` identifies the request for the work. */
export interface ActivityLease extends ActivityKey {
  readonly connection_id: string;
  readonly work: 'fetch' | 'delete';
  readonly priority: number;
  readonly version: number;
  readonly failures: number;
  /** Claims without an outcome, including this one. */
  readonly crashes: number;
  readonly streams_for: string | null;
  readonly fetched_at: Date | null;
  readonly backfill_id: string | null;
  /** Time of the newest deletion by the provider's clock. Null if there was none. */
  readonly delete_time: string | null;
  /** The version whose fetch checks an activity that the provider did not list. Null: there was none. */
  readonly unlisted_version: number | null;
}

// Jobs that are leased or wait for their next attempt are skipped: few of them are at the front of the index. Claiming
// four of 13,000 waiting jobs takes 0.05 ms.
const claim = claimStatement(activityTable, {
  name: 'claim',
  parameters: 3,
  due: `
    select user_id, object_id from activitynet.activity
    where work is not null and priority <= $3 and run_at <= activitynet.clock($4)
    order by priority, turn, object_id limit $1 for update skip locked`,
  returning: `j.user_id, j.object_id, j.connection_id, j.work, j.priority, j.turn, j.version, j.attempt, j.failures,
    j.crashes, j.streams_for, j.fetched_at, j.history_id as backfill_id, j.delete_time, j.unlisted_version`,
});

/** SQL that is true while an activity is due. */
export const isActivityDue = (aheadMs: number) =>
  `exists (select from activitynet.activity where work is not null and run_at <= activitynet.clock(${aheadMs}))`;

/** The clock of the claims and the duration of a lease. */
export interface LeaseTime {
  readonly aheadMs: number;
  readonly leaseMs: number;
}

/** The jobs to claim: at most `limit`, with this priority or a lower number. */
interface Claim {
  readonly aheadMs: number;
  readonly priority: number;
  readonly limit: number;
  readonly leaseMs: number;
}

/** Claims due jobs: deletions first, then the oldest live event, then backfill. */
export async function claimActivities(database: Queryable, wanted: Claim): Promise<ActivityLease[]> {
  const { aheadMs, priority, limit, leaseMs } = wanted;
  const values = [limit, leaseMs, priority, aheadMs];
  const rows = await database.query<ActivityLease & { turn: string }>(claim, values);
  return rows.sort((a, b) => a.priority - b.priority || Number(a.turn) - Number(b.turn));
}

/** Deletions go first because they need no read, and jobs of reconciliations go last. */
export const priorities = { delete: -1, live: 0, backfill: 10, repair: 15 } as const;

/** An event of an activity, for one linked user. */
interface ActivityEvent {
  readonly user_id: string;
  readonly connection_id: string;
  readonly object_id: string;
  readonly aspect_type: 'create' | 'update' | 'delete';
  readonly event_time: number;
}

// Time of the newest create or update, -1 if there is none.
const alive = 'greatest(a.create_time, a.update_time, -1)';

const renewed = `version = a.version + 1, failures = 0, crashes = 0, error = null,
      run_at = case when a.leased then a.run_at else now() end`;

// An event is applied only if it is newer than the stored ones. On a tie with a create or update, a deletion wins. On a
// tie with a deletion, a create or update loses. A second event of the same kind and time is a repetition. The turn stays
// that of the oldest waiting event. A leased row stays leased: its holder finds another version at the end and leaves the
// row open.
const creation: Statement = {
  name: 'activitynet.note_creation',
  text: `
    insert into activitynet.activity as a (user_id, object_id, connection_id, create_time, update_time, work, priority,
      turn)
    values ($1, $2, $3, case when $4 = 'create' then $5::bigint end, case when $4 = 'update' then $5::bigint end, 'fetch',
      ${priorities.live}, $5::bigint)
    on conflict (user_id, object_id) do update set
      connection_id = excluded.connection_id,
      create_time = coalesce(excluded.create_time, a.create_time),
      update_time = coalesce(excluded.update_time, a.update_time),
      work = 'fetch', priority = ${priorities.live},
      turn = case when a.work = 'fetch' and a.priority = ${priorities.live} then least(a.turn, excluded.turn)
        else excluded.turn end,
      streams_for = case when a.work = 'delete' then null else a.streams_for end,
      ${renewed}
    where $5::bigint > coalesce(a.delete_time, -1)
      and ($5::bigint > ${alive} or ($5::bigint = ${alive}
        and (excluded.create_time is distinct from a.create_time or $4 <> 'create')
        and (excluded.update_time is distinct from a.update_time or $4 <> 'update')))
    returning a.object_id`,
};

const deletion: Statement = {
  name: 'activitynet.note_deletion',
  text: `
    insert into activitynet.activity as a (user_id, object_id, connection_id, delete_time, work, priority, turn)
    values ($1, $2, $3, $4::bigint, 'delete', ${priorities.delete}, $4::bigint)
    on conflict (user_id, object_id) do update set
      connection_id = excluded.connection_id, delete_time = excluded.delete_time, turn = excluded.turn,
      work = 'delete', priority = ${priorities.delete}, ${renewed}
    where $4::bigint > coalesce(a.delete_time, -1) and $4::bigint >= ${alive}
    returning a.object_id`,
};

/**
 * Records an event and the work that follows from it. Returns false if the event is older than the stored state or a
 * repetition.
 */
export async function noteEvent(database: Queryable, event: ActivityEvent): Promise<boolean> {
  const { user_id, object_id, connection_id, aspect_type, event_time } = event;
  const whose = [user_id, object_id, connection_id];
  const noted =
    aspect_type === 'delete'
      ? await database.query(deletion, [...whose, event_time])
      : await database.query(creation, [...whose, aspect_type, event_time]);
  return noted.length > 0;
}

const { update, extend } = activityWrites;

/** Extends the lease of a job. Returns false if it was lost. */
export function extendActivity(
  database: Queryable,
  job: ActivityKey,
  { aheadMs, leaseMs }: LeaseTime,
): Promise<boolean> {
  return extend(database, rowOf(job), leaseMs, aheadMs);
}

// A read that found nothing may have been for another account than the read that fetched the activity.
const finish = update(
  'finish',
  `work = case when version = $4 then null else work end, leased = false, run_at = now(), crashes = 0,
    failures = 0, error = $5,
    fetched_at = case when $5::text is null and work is distinct from 'delete' then activitynet.clock($8)
      else fetched_at end,
    streams_for = case when $7::boolean then null
      when version = $4 then coalesce($6, streams_for) else streams_for end,
    delete_time = case when version = $4 and $7::boolean then greatest(delete_time, create_time, update_time, $9::bigint)
      else delete_time end`,
);

/**
 * The result of a finished job. `error`: it ended without a record. `streams`: the recording that is stored. `deleted`:
 * the activity is deleted. `deletedMs`: when a read found that an activity
 * is deleted whose deletion no event reported.
 */
interface Finished {
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
