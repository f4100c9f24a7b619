import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { changes, claimStatement, fencedWrites, type JobTable } from '../../../mixins/jobs/job-table.ts';
import { priorities } from './note-event.ts';

/** A run whose next page is to be read. Claimed until the lease ends. */
export interface BackfillLease {
  readonly id: string;
  readonly user_id: string;
  readonly connection_id: string;
  readonly connected_at: Date;
  readonly start_time: Date;
  readonly end_time: Date;
  readonly created_at: Date;
  readonly pages: number;
  readonly found: number;
  readonly failures: number;
  readonly attempt: number;
}

const table: JobTable = {
  name: 'activitynet.backfill',
  table: 'activitynet.history',
  key: { id: 'uuid' },
  attempt: 'attempt',
  isLeased: "state = 'listing'",
  now: (parameter) => `activitynet.clock($${parameter})`,
};
const { update, extend } = fencedWrites(table);
const rowOf = ({ id, attempt }: BackfillLease) => ({ key: [id], attempt });

const claim = claimStatement(table, {
  name: 'claim',
  due: `
    select id from activitynet.history where state = 'listing' and run_at <= activitynet.clock($3)
    order by run_at limit $1 for update skip locked`,
  returning: `j.id, j.user_id, j.connection_id, j.connected_at, j.start_time, j.end_time, j.created_at, j.pages,
    j.found, j.failures, j.attempt`,
});

/** SQL that is true while a page of a run is due. */
export const isBackfillDue = (aheadMs: number) =>
  `exists (select from activitynet.history where state = 'listing' and run_at <= activitynet.clock(${aheadMs}))`;

/** The clock of the claims and the duration of a lease. */
export interface LeaseTime {
  readonly aheadMs: number;
  readonly leaseMs: number;
}

/** Claims up to `limit` runs with pages left to read. */
export function claimBackfills(
  database: Queryable,
  limit: number,
  { aheadMs, leaseMs }: LeaseTime,
): Promise<BackfillLease[]> {
  return database.query<BackfillLease>(claim, [limit, leaseMs, aheadMs]);
}

/** Extends the lease of a run. Returns false if it was lost. */
export function extendBackfill(
  database: Queryable,
  run: BackfillLease,
  { aheadMs, leaseMs }: LeaseTime,
): Promise<boolean> {
  return extend(database, rowOf(run), leaseMs, aheadMs);
}

const isDeleted = 'coalesce(a.delete_time >= greatest(a.create_time, a.update_time, -1), false)';

// Activities that were fetched for this connection are kept current by events, and waiting jobs do not change, except that
// a backfill takes over those that wait for a reconciliation. An activity that was deleted before the list was read but is
// listed exists again. The rows stay leased until the list's own data is stored.
const enqueue: Statement = {
  name: 'activitynet.enqueue_listed',
  text: `
    insert into activitynet.activity as a (user_id, object_id, connection_id, work, priority, turn, history_id, attempt,
      leased, run_at)
    select $1, t.object_id, $2, 'fetch', $10::smallint, t.turn, $3::uuid, 1, true,
      activitynet.clock($8) + $9 * interval '1 ms'
    from unnest($4::bigint[], $5::bigint[]) t (object_id, turn)
    on conflict (user_id, object_id) do update set connection_id = excluded.connection_id, work = 'fetch',
      priority = excluded.priority, turn = excluded.turn, history_id = excluded.history_id, version = a.version + 1,
      attempt = a.attempt + 1, leased = true, run_at = excluded.run_at, failures = 0, crashes = 0, error = null,
      delete_time = case when ${isDeleted} then null else a.delete_time end
    where not a.leased and (a.work is null or a.work = 'fetch'
        and a.priority = ${priorities.repair} and excluded.priority < a.priority)
      and (not ${isDeleted} or a.delete_time < $7::bigint)
      and (a.fetched_at is null or a.fetched_at < $6 or a.error is not null or ${isDeleted})
    returning a.object_id, a.attempt`,
};

/** An activity that became a job, leased by the caller. */
export interface Enqueued {
  readonly object_id: string;
  readonly attempt: number;
}

/** For whom listed activities are fetched, and how. */
export interface ListedFor {
  readonly user_id: string;
  readonly connection_id: string;
  /** The backfill that the jobs belong to. Null: a reconciliation. */
  readonly backfill_id: string | null;
  readonly connected_at: Date;
  /** A listed activity exists again if it was deleted before this time. */
  readonly deletedBeforeMs: number;
  readonly priority: number;
}

/**
 * Creates jobs for listed activities, leased for `leaseMs`, the newest activity first. Known and waiting activities do
 * not change.
 */
export function enqueueActivities(
  database: Queryable,
  whose: ListedFor,
  listed: readonly { readonly id: string; readonly startMs: number }[],
  { aheadMs, leaseMs }: LeaseTime,
): Promise<Enqueued[]> {
  return database.query<Enqueued>(enqueue, [
    whose.user_id,
    whose.connection_id,
    whose.backfill_id,
    listed.map(({ id }) => id),
    listed.map(({ startMs }) => -Math.round(startMs / 1000)),
    whose.connected_at,
    Math.floor(whose.deletedBeforeMs / 1000),
    aheadMs,
    leaseMs,
    whose.priority,
  ]);
}

const release: Statement = {
  name: 'activitynet.release_enqueued',
  text: `
    update activitynet.activity a set leased = false, run_at = now()
    from unnest($2::bigint[], $3::int[]) t (object_id, attempt)
    where a.user_id = $1 and a.object_id = t.object_id and a.attempt = t.attempt and a.leased`,
};

/** Releases the jobs that were leased while the list's own data was stored. */
export async function releaseEnqueued(
  database: Queryable,
  userId: string,
  jobs: readonly Enqueued[],
): Promise<void> {
  const values = [userId, jobs.map(({ object_id }) => object_id), jobs.map(({ attempt }) => attempt)];
  await database.query(release, values);
}

// A listing row has no column for its lease. Each release increments the attempt, so that a late extension fails.
const released = 'attempt = attempt + 1';

const turnPage = update(
  'turn_page',
  `${released}, pages = pages + 1, found = found + $3, failures = 0, run_at = now(),
    state = case when $3 = 0 then 'fetching' else 'listing' end, listed_at = case when $3 = 0 then now() end`,
);

/**
 * Records a page that was read. An empty page is the end of the list. Returns false if the run was lost or cancelled.
 */
export function recordPage(database: Queryable, run: BackfillLease, found: number): Promise<boolean> {
  return changes(database, turnPage, rowOf(run), found);
}

const postpone = update(
  'postpone',
  `${released}, run_at = activitynet.clock($3) + $4 * interval '1 ms', failures = failures + $5, reason = $6,
    state = case when failures + $5 >= 30 then 'failed' else state end,
    finished_at = case when failures + $5 >= 30 then now() end`,
);

/** Postpones a run. `failures` is 0 if the wait is not caused by an error. Returns false if the run was lost. */
export function postponeBackfill(
  database: Queryable,
  run: BackfillLease,
  wait: {
    readonly aheadMs: number;
    readonly delayMs: number;
    readonly failures: 0 | 1;
    readonly reason: string | null;
  },
): Promise<boolean> {
  const { aheadMs, delayMs, failures, reason } = wait;
  return changes(database, postpone, rowOf(run), aheadMs, delayMs, failures, reason);
}

const stop = update('stop', "state = 'stopped', reason = $3, finished_at = now()");

/** Stops a run for good because the provider refused it or the connection ended. Returns false if it was lost. */
export function stopBackfill(database: Queryable, run: BackfillLease, reason: string): Promise<boolean> {
  return changes(database, stop, rowOf(run), reason);
}
