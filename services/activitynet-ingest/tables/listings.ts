import { randomUUID } from 'node:crypto';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { changes, claimStatement, fencedWrites, type JobTable } from '../../../mixins/jobs/job-table.ts';
import { type LeaseTime, priorities } from './activities.ts';

/*
 * A row is the newest list of a connection's activities for one purpose, read page by page. While its state is `listing` it
 * is the job that reads the next page. The end of the list ends a reconciliation; a backfill is `fetching` until all of its
 * activities are fetched.
 */

/** What a list is read for. */
export type Purpose = 'backfill' | 'reconciliation';

const isOpen = "state in ('listing', 'fetching')";

/** A connection whose activities are listed from an instant on. */
interface NewListing {
  readonly connection_id: string;
  readonly user_id: string;
  readonly start_ms: number;
}

const insert: Statement = {
  name: 'activitynet.insert_backfill',
  text: `
    insert into activitynet.listing as l (purpose, id, connection_id, user_id, start_time, end_time)
    values ('backfill', $1, $2, $3, to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000))
    on conflict (connection_id, purpose) do update set id = excluded.id, user_id = excluded.user_id,
      start_time = excluded.start_time, end_time = excluded.end_time, connected_at = null, state = 'listing',
      reason = null, pages = 0, found = 0, failures = 0, attempt = l.attempt + 1, leased = false, run_at = now(),
      created_at = now(), finished_at = null
    where l.state not in ('listing', 'fetching')
    returning id`,
};

/** Inserts a backfill. Returns false if the connection already has one in progress. */
export async function insertBackfill(
  database: Queryable,
  { connection_id, user_id, start_ms, end_ms }: NewListing & { readonly end_ms: number },
): Promise<boolean> {
  const values = [randomUUID(), connection_id, user_id, start_ms, end_ms];
  return (await database.query(insert, values)).length > 0;
}

/** A backfill, with the number of its activities that wait and the time of the last fetch. */
export interface BackfillRow {
  id: string;
  user_id: string;
  start_time: Date;
  end_time: Date;
  state: 'listing' | 'fetching' | 'done' | 'cancelled' | 'stopped' | 'failed';
  reason: string | null;
  pages: number;
  found: number;
  created_at: Date;
  finished_at: Date | null;
  waiting: number;
  last_fetched_at: Date | null;
}

// Jobs that check an unlisted activity belong to a reconciliation, and so does their read after the end of the backfill.
const isOwn = `a.work is not null and a.priority <> ${priorities.repair}`;

const select: Statement = {
  name: 'activitynet.select_backfill',
  text: `
    select l.id, l.user_id, l.start_time, l.end_time, l.state, l.reason, l.pages, l.found, l.created_at, l.finished_at,
      (select count(*)::int from activitynet.activity a where a.history_id = l.id and ${isOwn}) as waiting,
      (select least(max(a.fetched_at), l.finished_at) from activitynet.activity a where a.history_id = l.id)
        as last_fetched_at
    from activitynet.listing l where l.connection_id = $1 and l.purpose = 'backfill'`,
};

/** The newest backfill of a connection, or undefined if it has none. */
export async function selectBackfill(
  database: Queryable,
  connectionId: string,
): Promise<BackfillRow | undefined> {
  const [row] = await database.query<BackfillRow>(select, [connectionId]);
  return row;
}

/** Cancels the backfill in progress of a connection and its waiting jobs. Returns false if there is none. */
export async function cancelBackfill(database: Queryable, connectionId: string): Promise<boolean> {
  const cancelled = await database.query(
    `with cancelled as (
       update activitynet.listing set state = 'cancelled', leased = false, finished_at = now()
       where connection_id = $1 and purpose = 'backfill' and ${isOpen} returning id),
     dropped as (
       update activitynet.activity a set work = null, error = 'CANCELLED', version = version + 1
       from cancelled where a.history_id = cancelled.id and a.work = 'fetch' and a.priority = ${priorities.backfill})
     select id from cancelled`,
    [connectionId],
  );
  return cancelled.length > 0;
}

const close: Statement = {
  name: 'activitynet.close_backfill',
  text: `
    update activitynet.listing l set state = 'done', finished_at = now()
    where l.id = $1 and l.state = 'fetching' and not exists (
      select from activitynet.activity a where a.history_id = l.id and ${isOwn})`,
};

/** Marks a backfill as done if all its activities are fetched. */
export async function finishBackfill(database: Queryable, id: string): Promise<void> {
  await database.query(close, [id]);
}

const isWaiting = "l.state = 'listing'";
const isBegun = `(${isWaiting} and (l.leased or l.pages > 0))`;
const kept = (column: string, otherwise: string) =>
  `${column} = case when ${isWaiting} then l.${column} else ${otherwise} end`;

// A waiting reconciliation takes the earlier start, and keeps its delay after a failure. One that has begun is not
// changed: another follows it. If its first page was postponed, it waits again and takes the start of the other.
const request: Statement = {
  name: 'activitynet.request_reconciliation',
  text: `
    insert into activitynet.listing as l (purpose, connection_id, user_id, start_time)
    values ('reconciliation', $1, $2, to_timestamp($3::float8 / 1000))
    on conflict (connection_id, purpose) do update set user_id = excluded.user_id, state = 'listing',
      again_from = case when ${isBegun} then least(l.again_from, excluded.start_time) end,
      start_time = case when ${isBegun} then l.start_time
        when ${isWaiting} then least(l.start_time, l.again_from, excluded.start_time) else excluded.start_time end,
      run_at = case when ${isBegun} or (${isWaiting} and l.failures > 0) then l.run_at
        when ${isWaiting} then least(l.run_at, now()) else now() end,
      ${kept('pages', '0')}, ${kept('found', '0')}, ${kept('listed', "'{}'")}, ${kept('end_time', 'null')},
      ${kept('connected_at', 'null')}, ${kept('failures', '0')}, ${kept('reason', 'null')}, ${kept('finished_at', 'null')}
    returning coalesce(again_from, start_time) as start_time`,
};

/** Makes a connection wait for a reconciliation. Returns the start of the waiting one. */
export async function requestReconciliation(
  database: Queryable,
  { connection_id, user_id, start_ms }: NewListing,
): Promise<Date> {
  const values = [connection_id, user_id, start_ms];
  const [row] = await database.query<{ start_time: Date }>(request, values);
  if (row === undefined) throw new Error('the reconciliation was not written');
  return row.start_time;
}

const emptied = `pages = 0, found = 0, listed = '{}', end_time = null, connected_at = null, failures = 0`;

// A connection whose reconciliation waits or runs is left to a later call, and one that was scheduled for that day to the
// next day.
const schedule: Statement = {
  name: 'activitynet.schedule_reconciliations',
  text: `
    insert into activitynet.listing as l (purpose, connection_id, user_id, start_time, run_at, nightly_on)
    select 'reconciliation', t.connection_id, t.user_id, to_timestamp(t.start_ms / 1000), to_timestamp(t.at_ms / 1000),
      (to_timestamp(t.at_ms / 1000) at time zone 'UTC')::date
    from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::float8[]) t (connection_id, user_id, start_ms, at_ms)
    on conflict (connection_id, purpose) do update set user_id = excluded.user_id, state = 'listing',
      start_time = excluded.start_time, run_at = excluded.run_at, nightly_on = excluded.nightly_on, ${emptied},
      reason = null, finished_at = null
    where l.state <> 'listing' and (l.nightly_on is null or l.nightly_on < excluded.nightly_on)
    returning l.connection_id`,
};

/** Schedules nightly reconciliations at `at_ms`, at most one a UTC day and connection. Returns how many are new. */
export async function scheduleReconciliations(
  database: Queryable,
  nightly: readonly (NewListing & { readonly at_ms: number })[],
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

/** A list whose next page is to be read. Claimed until the lease ends. */
export interface ListingLease {
  readonly id: string;
  readonly purpose: Purpose;
  readonly connection_id: string;
  readonly user_id: string;
  readonly start_time: Date;
  /** The end of the list. Of a reconciliation it is the time at which the first page was read, and null until then. */
  readonly end_time: Date | null;
  /** When the connection was made by whose token the pages were read. Null until then. */
  readonly connected_at: Date | null;
  readonly created_at: Date;
  readonly pages: number;
  /** The ids on the pages of a reconciliation so far, and on the last page of a backfill. */
  readonly listed: readonly string[];
  readonly failures: number;
  readonly attempt: number;
}

const table: JobTable = {
  name: 'activitynet.listing',
  table: 'activitynet.listing',
  key: { id: 'uuid' },
  attempt: 'attempt',
  lease: 'leased = true',
  isLeased: 'leased',
  now: (parameter) => `activitynet.clock($${parameter})`,
};
const { update, extend } = fencedWrites(table);
const rowOf = ({ id, attempt }: ListingLease) => ({ key: [id], attempt });

const claim = claimStatement(table, {
  name: 'claim',
  parameters: 3,
  due: `
    select id from activitynet.listing
    where state = 'listing' and purpose = any($3) and run_at <= activitynet.clock($4)
    order by purpose, run_at limit $1 for update skip locked`,
  returning: `j.id, j.purpose, j.connection_id, j.user_id, j.start_time, j.end_time, j.connected_at, j.created_at,
    j.pages, j.listed::text[] as listed, j.failures, j.attempt`,
});

/** SQL that is true while a page of a list is due. */
export const isListingDue = (aheadMs: number) =>
  `exists (select from activitynet.listing where state = 'listing' and run_at <= activitynet.clock(${aheadMs}))`;

/** Claims up to `limit` lists with pages left to read, those of backfills first. */
export function claimListings(
  database: Queryable,
  limit: number,
  purposes: readonly Purpose[],
  { aheadMs, leaseMs }: LeaseTime,
): Promise<ListingLease[]> {
  return database.query<ListingLease>(claim, [limit, leaseMs, purposes, aheadMs]);
}

/** Extends the lease of a list. Returns false if it was lost. */
export function extendListing(
  database: Queryable,
  run: ListingLease,
  { aheadMs, leaseMs }: LeaseTime,
): Promise<boolean> {
  return extend(database, rowOf(run), leaseMs, aheadMs);
}

const released = 'leased = false, run_at = now()';

const turnPage = update(
  'turn_page',
  `${released}, pages = pages + 1, found = found + $3, failures = 0,
    listed = case when purpose = 'backfill' then $4::bigint[] else listed || $4::bigint[] end,
    end_time = to_timestamp($5::float8 / 1000), connected_at = to_timestamp($6::float8 / 1000),
    state = case when $3 = 0 then 'fetching' else state end`,
);

/** The facts of a page that was read. */
interface ListedPage {
  /** The number of its activities. 0: the end of a backfill's list. */
  readonly found: number;
  /** Its ids. Those of all pages of a reconciliation are compared at the end of the list. */
  readonly ids: readonly string[];
  /** The end of the list. */
  readonly endMs: number;
  readonly connectedMs: number;
}

/** Records a page. Returns false if the list was lost, cancelled or ended. */
export function recordPage(
  database: Queryable,
  run: ListingLease,
  { found, ids, endMs, connectedMs }: ListedPage,
): Promise<boolean> {
  return changes(database, turnPage, rowOf(run), found, ids, endMs, connectedMs);
}

const restart = update('restart', `${released}, ${emptied}`);

/** Begins the list of a reconciliation anew, because its pages were read with the token of another account. */
export async function restartReconciliation(database: Queryable, run: ListingLease): Promise<void> {
  await changes(database, restart, rowOf(run));
}

const finish = update(
  'finish',
  `${released}, ${emptied}, reason = $3, finished_at = now(),
    state = case when again_from is null then 'done' else 'listing' end,
    start_time = coalesce(again_from, start_time), again_from = null`,
);

/**
 * Ends a reconciliation whose list was read. One that was requested meanwhile follows. `reason`: nothing was compared.
 * Returns false if it was lost or ended.
 */
export function finishReconciliation(
  database: Queryable,
  run: ListingLease,
  reason: string | null,
): Promise<boolean> {
  return changes(database, finish, rowOf(run), reason);
}

/** A list fails with this many failures in a row. */
const mostFailures = 30;

const postpone = update(
  'postpone',
  `leased = false, run_at = activitynet.clock($3) + $4 * interval '1 ms', failures = failures + $5, reason = $6,
    state = case when failures + $5 >= ${mostFailures} then 'failed' else state end,
    listed = case when failures + $5 < ${mostFailures} then listed else '{}' end,
    again_from = case when failures + $5 < ${mostFailures} then again_from end,
    finished_at = case when failures + $5 >= ${mostFailures} then now() end`,
);

/** Postpones a list. With a reason the wait is a failure. */
export async function postponeListing(
  database: Queryable,
  run: ListingLease,
  wait: { readonly aheadMs: number; readonly delayMs: number; readonly reason: string | null },
): Promise<void> {
  const { aheadMs, delayMs, reason } = wait;
  await changes(database, postpone, rowOf(run), aheadMs, delayMs, reason === null ? 0 : 1, reason);
}

const stop = update(
  'stop',
  `${released}, state = 'stopped', listed = '{}', again_from = null, reason = $3, finished_at = now()`,
);

/** Stops a list for good because the provider refused it or the connection ended. */
export async function stopListing(database: Queryable, run: ListingLease, reason: string): Promise<void> {
  await changes(database, stop, rowOf(run), reason);
}

/** Stops the backfill of a connection that ended, and ends its reconciliation. */
export async function endListings(database: Queryable, connectionId: string): Promise<void> {
  await database.query(
    `update activitynet.listing set state = 'stopped', leased = false, reason = 'CONNECTION_GONE', finished_at = now()
     where connection_id = $1 and purpose = 'backfill' and ${isOpen}`,
    [connectionId],
  );
  await database.query(
    `delete from activitynet.listing where connection_id = $1 and purpose = 'reconciliation'`,
    [connectionId],
  );
}
