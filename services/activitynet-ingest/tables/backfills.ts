import { randomUUID } from 'node:crypto';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { changes, claimStatement, fencedWrites, type JobTable } from '../../../mixins/jobs/job-table.ts';
import { type LeaseTime, priorities } from './activities.ts';

/** A backfill run, with the number of its activities that wait and the time of the last fetch. */
export interface BackfillRow {
  id: string;
  user_id: string;
  connection_id: string;
  start_time: Date;
  end_time: Date;
  state: 'listing' | 'fetching' | 'done' | 'cancelled' | 'stopped' | 'failed';
  reason: string | null;
  pages: number;
  found: number;
  created_at: Date;
  listed_at: Date | null;
  finished_at: Date | null;
  waiting: number;
  last_fetched_at: Date | null;
}

/** Values of a new run. */
interface NewBackfill {
  readonly user_id: string;
  readonly connection_id: string;
  readonly connected_at: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

const insert: Statement = {
  name: 'activitynet.insert_backfill',
  text: `
    insert into activitynet.history as h (id, connection_id, user_id, connected_at, start_time, end_time)
    values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), to_timestamp($6::float8 / 1000))
    on conflict (connection_id) do update set id = excluded.id, user_id = excluded.user_id,
      connected_at = excluded.connected_at, start_time = excluded.start_time, end_time = excluded.end_time,
      state = 'listing', reason = null, pages = 0, found = 0, failures = 0, attempt = h.attempt + 1, run_at = now(),
      created_at = now(), listed_at = null, finished_at = null
    where h.state not in ('listing', 'fetching')
    returning id`,
};

/** Inserts a run. Returns false if the connection already has one in progress. */
export async function insertBackfill(
  database: Queryable,
  { connection_id, user_id, connected_at, start_ms, end_ms }: NewBackfill,
): Promise<boolean> {
  const values = [randomUUID(), connection_id, user_id, connected_at, start_ms, end_ms];
  return (await database.query(insert, values)).length > 0;
}

// Jobs that check an unlisted activity belong to a reconciliation, and so does their read after the end of the run.
const isOwn = `a.work is not null and a.priority <> ${priorities.repair}`;

const select: Statement = {
  name: 'activitynet.select_backfill',
  text: `
    select h.id, h.user_id, h.connection_id, h.start_time, h.end_time, h.state, h.reason, h.pages, h.found, h.created_at,
      h.listed_at, h.finished_at,
      (select count(*)::int from activitynet.activity a where a.history_id = h.id and ${isOwn}) as waiting,
      (select least(max(a.fetched_at), h.finished_at) from activitynet.activity a where a.history_id = h.id)
        as last_fetched_at
    from activitynet.history h where h.connection_id = $1`,
};

/** The newest run of a connection, or undefined if it has none. */
export async function selectBackfill(
  database: Queryable,
  connectionId: string,
): Promise<BackfillRow | undefined> {
  const [row] = await database.query<BackfillRow>(select, [connectionId]);
  return row;
}

/** Cancels the run in progress of a connection and its waiting jobs. Returns false if there is none. */
export async function cancelBackfill(database: Queryable, connectionId: string): Promise<boolean> {
  const cancelled = await database.query(
    `with cancelled as (
       update activitynet.history set state = 'cancelled', finished_at = now(), attempt = attempt + 1
       where connection_id = $1 and state in ('listing', 'fetching') returning id),
     dropped as (
       update activitynet.activity a set work = null, error = 'CANCELLED', version = version + 1
       from cancelled where a.history_id = cancelled.id and a.work = 'fetch' and a.priority = 10)
     select id from cancelled`,
    [connectionId],
  );
  return cancelled.length > 0;
}

const close: Statement = {
  name: 'activitynet.close_backfill',
  text: `
    update activitynet.history h set state = 'done', finished_at = now()
    where h.id = $1 and h.state = 'fetching' and not exists (
      select from activitynet.activity a where a.history_id = h.id and ${isOwn})`,
};

/** Marks a run as done if all its activities are fetched. */
export async function finishBackfill(database: Queryable, id: string): Promise<void> {
  await database.query(close, [id]);
}

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
export function recordPage(database: Queryable, run: BackfillLease, activities: number): Promise<boolean> {
  return changes(database, turnPage, rowOf(run), activities);
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
