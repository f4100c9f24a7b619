import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { changes, claimStatement, fencedWrites, type JobTable } from '../../../mixins/jobs/job-table.ts';
import type { LeaseTime } from './activities.ts';

/** A connection to reconcile from an instant on. */
interface NewReconciliation {
  readonly connection_id: string;
  readonly user_id: string;
  readonly start_ms: number;
}

const isWaiting = "r.state = 'waiting'";
const isBegun = `(${isWaiting} and (r.leased or r.pages > 0))`;
const kept = (column: string, otherwise: string) =>
  `${column} = case when ${isWaiting} then r.${column} else ${otherwise} end`;

// A waiting reconciliation takes the earlier start, and keeps its delay after a failure. One that has begun is not
// changed: another follows it. If its first page was postponed, it waits again and takes the start of the other.
const request: Statement = {
  name: 'activitynet.request_reconciliation',
  text: `
    insert into activitynet.reconciliation as r (connection_id, user_id, start_time)
    values ($1, $2, to_timestamp($3::float8 / 1000))
    on conflict (connection_id) do update set user_id = excluded.user_id, state = 'waiting',
      again_from = case when ${isBegun} then least(r.again_from, excluded.start_time) end,
      start_time = case when ${isBegun} then r.start_time
        when ${isWaiting} then least(r.start_time, r.again_from, excluded.start_time) else excluded.start_time end,
      run_at = case when ${isBegun} or (${isWaiting} and r.failures > 0) then r.run_at
        when ${isWaiting} then least(r.run_at, now()) else now() end,
      ${kept('pages', '0')}, ${kept('listed', "'{}'")}, ${kept('end_time', 'null')}, ${kept('connected_at', 'null')},
      ${kept('failures', '0')}, ${kept('reason', 'null')}, ${kept('finished_at', 'null')}
    returning coalesce(again_from, start_time) as start_time`,
};

/** Makes a connection wait for a reconciliation. Returns the start of the waiting one. */
export async function requestReconciliation(
  database: Queryable,
  { connection_id, user_id, start_ms }: NewReconciliation,
): Promise<Date> {
  const values = [connection_id, user_id, start_ms];
  const [row] = await database.query<{ start_time: Date }>(request, values);
  if (row === undefined) throw new Error('the reconciliation was not written');
  return row.start_time;
}

/** A nightly reconciliation, which waits until `at_ms`. */
interface Nightly extends NewReconciliation {
  readonly at_ms: number;
}

// A connection whose reconciliation waits or runs is left to a later call, and one that was scheduled for that day to the
// next day.
const schedule: Statement = {
  name: 'activitynet.schedule_reconciliations',
  text: `
    insert into activitynet.reconciliation as r (connection_id, user_id, start_time, run_at, nightly_on)
    select t.connection_id, t.user_id, to_timestamp(t.start_ms / 1000), to_timestamp(t.at_ms / 1000),
      (to_timestamp(t.at_ms / 1000) at time zone 'UTC')::date
    from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::float8[]) t (connection_id, user_id, start_ms, at_ms)
    on conflict (connection_id) do update set user_id = excluded.user_id, state = 'waiting',
      start_time = excluded.start_time, run_at = excluded.run_at, nightly_on = excluded.nightly_on, pages = 0,
      listed = '{}', end_time = null, connected_at = null, failures = 0, reason = null, finished_at = null
    where r.state <> 'waiting' and (r.nightly_on is null or r.nightly_on < excluded.nightly_on)
    returning r.connection_id`,
};

/** Schedules nightly reconciliations, at most one a UTC day and connection. Returns how many are new. */
export async function scheduleReconciliations(
  database: Queryable,
  nightly: readonly Nightly[],
): Promise<number> {
  if (nightly.length === 0) return 0;
  const rows = await database.query(schedule, [
    nightly.map(({ connection_id }) => connection_id),
    nightly.map(({ user_id }) => user_id),
    nightly.map(({ start_ms }) => start_ms),
    nightly.map(({ at_ms }) => at_ms),
  ]);
  return rows.length;
}

/** A reconciliation whose next page is to be read. Claimed until the lease ends. */
export interface ReconciliationLease {
  readonly connection_id: string;
  readonly user_id: string;
  readonly start_time: Date;
  /** When the first page was read: the end of the list. Null until then. */
  readonly end_time: Date | null;
  /** When the connection was made by whose token the pages were read. Null until then. */
  readonly connected_at: Date | null;
  readonly pages: number;
  /** The ids on the pages so far. */
  readonly listed: readonly string[];
  readonly failures: number;
  readonly attempt: number;
}

const table: JobTable = {
  name: 'activitynet.reconciliation',
  table: 'activitynet.reconciliation',
  key: { connection_id: 'uuid' },
  attempt: 'attempt',
  lease: 'leased = true',
  isLeased: 'leased',
  now: (parameter) => `activitynet.clock($${parameter})`,
};
const { update, extend } = fencedWrites(table);
const rowOf = ({ connection_id, attempt }: ReconciliationLease) => ({ key: [connection_id], attempt });

const claim = claimStatement(table, {
  name: 'claim',
  due: `
    select connection_id from activitynet.reconciliation
    where state = 'waiting' and run_at <= activitynet.clock($3) order by run_at limit $1 for update skip locked`,
  returning: `j.connection_id, j.user_id, j.start_time, j.end_time, j.connected_at, j.pages, j.listed::text[] as listed,
    j.failures, j.attempt`,
});

/** SQL that is true while a reconciliation is due. */
export const isReconciliationDue = (aheadMs: number) =>
  `exists (select from activitynet.reconciliation where state = 'waiting' and run_at <= activitynet.clock(${aheadMs}))`;

/** Claims up to `limit` reconciliations that are due, the longest due first. */
export function claimReconciliations(
  database: Queryable,
  limit: number,
  { aheadMs, leaseMs }: LeaseTime,
): Promise<ReconciliationLease[]> {
  return database.query<ReconciliationLease>(claim, [limit, leaseMs, aheadMs]);
}

/** Extends the lease of a reconciliation. Returns false if it was lost. */
export function extendReconciliation(
  database: Queryable,
  run: ReconciliationLease,
  { aheadMs, leaseMs }: LeaseTime,
): Promise<boolean> {
  return extend(database, rowOf(run), leaseMs, aheadMs);
}

const released = 'leased = false, run_at = now()';

const turnPage = update(
  'turn_page',
  `${released}, pages = pages + 1, listed = listed || $3::bigint[], failures = 0,
    end_time = to_timestamp($4::float8 / 1000), connected_at = to_timestamp($5::float8 / 1000)`,
);

/** The facts of a page that was read. */
interface ListedPage {
  readonly ids: readonly string[];
  /** The end of the list. */
  readonly endMs: number;
  readonly connectedMs: number;
}

/** Records a page with activities. Returns false if the reconciliation was lost or ended. */
export function recordListed(
  database: Queryable,
  run: ReconciliationLease,
  { ids, endMs, connectedMs }: ListedPage,
): Promise<boolean> {
  return changes(database, turnPage, rowOf(run), ids, endMs, connectedMs);
}

const emptied = `pages = 0, listed = '{}', end_time = null, connected_at = null, failures = 0`;

const restart = update('restart', `${released}, ${emptied}`);

/** Begins the list anew, because its pages were read with the token of another account. */
export async function restartReconciliation(database: Queryable, run: ReconciliationLease): Promise<void> {
  await changes(database, restart, rowOf(run));
}

const finish = update(
  'finish',
  `${released}, ${emptied}, reason = $3, finished_at = now(),
    state = case when again_from is null then 'done' else 'waiting' end,
    start_time = coalesce(again_from, start_time), again_from = null`,
);

/**
 * Ends a reconciliation whose list was read. One that was requested meanwhile follows. `reason`: nothing was compared.
 * Returns false if it was lost or ended.
 */
export function finishReconciliation(
  database: Queryable,
  run: ReconciliationLease,
  reason: string | null,
): Promise<boolean> {
  return changes(database, finish, rowOf(run), reason);
}

/** A reconciliation fails with this many failures in a row. */
const mostFailures = 30;

const postpone = update(
  'postpone',
  `leased = false, run_at = activitynet.clock($3) + $4 * interval '1 ms', failures = failures + $5, reason = $6,
    state = case when failures + $5 >= ${mostFailures} then 'failed' else state end,
    listed = case when failures + $5 < ${mostFailures} then listed else '{}' end,
    again_from = case when failures + $5 < ${mostFailures} then again_from end,
    finished_at = case when failures + $5 >= ${mostFailures} then now() end`,
);

/** Postpones a reconciliation. `failures` is 0 if the wait is not caused by an error. */
export async function postponeReconciliation(
  database: Queryable,
  run: ReconciliationLease,
  wait: {
    readonly aheadMs: number;
    readonly delayMs: number;
    readonly failures: 0 | 1;
    readonly reason: string | null;
  },
): Promise<void> {
  const { aheadMs, delayMs, failures, reason } = wait;
  await changes(database, postpone, rowOf(run), aheadMs, delayMs, failures, reason);
}

const stop = update(
  'stop',
  `${released}, ${emptied}, state = 'stopped', again_from = null, reason = $3, finished_at = now()`,
);

/** Stops a reconciliation because the provider refused it or the connection ended. */
export async function stopReconciliation(
  database: Queryable,
  run: ReconciliationLease,
  reason: string,
): Promise<void> {
  await changes(database, stop, rowOf(run), reason);
}
