import { ServiceError } from '../../../domain/errors.ts';
import { dayMs, hourMs } from '../../../domain/time/time.ts';
import { type JobHandler, recurringHandler } from '../../../mixins/jobs/jobs.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { nextAt, timeOfDayMs } from '../../../runtime/jobs/time-of-day.ts';
import { priorities } from '../tables/activities.ts';
import { deleteUser } from '../tables/drop-work.ts';
import { enqueueActivities, enqueueChecks } from '../tables/listed-activities.ts';
import {
  finishReconciliation,
  postponeReconciliation,
  type ReconciliationLease,
  recordListed,
  requestReconciliation,
  restartReconciliation,
  scheduleReconciliations,
  stopReconciliation,
} from '../tables/reconciliations.ts';
import type { Fetching } from './fetch-activity.ts';
import {
  type FoundPage,
  listQuery,
  type PageOutcome,
  pageDelayMs,
  pageOf,
  startsOf,
  storeListed,
} from './list-backfill.ts';
import { type ReadResult, readsAll, reserveReads } from './reads.ts';

/*
 * A reconciliation lists the activities of an account and compares the ids with what is stored. Unknown ones are fetched.
 * Stored ones that are not listed are read, and deleted if that read confirms it (`confirmUnlisted`). The comparison
 * needs the whole list: it begins with the empty page that ends it.
 */

/** Dependencies of a reconciliation. */
interface Reconciling extends Fetching, Pick<Environment, 'logger'> {}

/** Activities that start this close to the start of the span are not compared: a start may be changed. */
const startMarginMs = 24 * hourMs;
/** Activities that started or were read this shortly before the list are not compared: it may not contain them yet. */
const settleMs = hourMs;
/** A list that is longer is cut off, and nothing is compared. */
const mostPages = 50;
/** Maximum number of stored activities that are compared. */
const mostStored = 10_000;
/** Maximum number of activities that one reconciliation reads because they are not listed. */
const mostChecks = 100;

/**
 * Makes a connection wait for a reconciliation from `start_ms` until the list is read. Returns the start of the waiting
 * one, which may be earlier. @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND (404), CONNECTION_INACTIVE,
 * CONNECTION_WITHOUT_TOKEN (409)
 */
export async function startReconciliation(
  { database, call }: Pick<Fetching, 'database' | 'call'>,
  { user_id, start_ms }: { readonly user_id: string; readonly start_ms: number },
): Promise<{ start_ms: number }> {
  const tokens = await call('users.tokens', { user_id, provider: 'activitynet' });
  if (tokens.status !== 'active') throw new ServiceError('CONNECTION_INACTIVE');
  if (tokens.access_token === null) throw new ServiceError('CONNECTION_WITHOUT_TOKEN');
  const { connection_id } = tokens;
  const start = await requestReconciliation(database, { user_id, connection_id, start_ms });
  return { start_ms: start.getTime() };
}

/** Reads the next page of the list of a reconciliation. An error counts as a failure of the page. */
export async function reconcilePage(
  deps: Reconciling,
  run: ReconciliationLease,
  signal: AbortSignal,
): Promise<PageOutcome> {
  const reservation = await reserveReads(deps, { user_id: run.user_id, work: 'repair', signal }, 1);
  if (reservation === null) return postponed(deps, run, null);
  const endMs = run.end_time?.getTime() ?? Date.now() + deps.pace.aheadMs();
  try {
    const query = listQuery(run.start_time.getTime(), endMs, run.pages);
    return await goOn(deps, { run, endMs }, await reservation.read('/athlete/activities', query));
  } catch (error) {
    return await postponed(deps, run, signal.aborted ? null : codeOf(error));
  } finally {
    await reservation.close();
  }
}

/** A claimed reconciliation, with the end of its list. */
interface Listing {
  readonly run: ReconciliationLease;
  readonly endMs: number;
}

async function goOn(deps: Reconciling, { run, endMs }: Listing, result: ReadResult): Promise<PageOutcome> {
  const { database } = deps;
  const page = pageOf(result);
  if (page.kind === 'wait') return postponed(deps, run, null);
  if (page.kind === 'failed') return postponed(deps, run, page.reason);
  if (page.kind === 'stopped') {
    if (page.reason === 'USER_GONE') await deleteUser(database, run.user_id);
    else await stopReconciliation(database, run, page.reason);
    return 'stopped';
  }
  if (run.connected_at !== null && run.connected_at.getTime() !== page.connectedMs)
    await restartReconciliation(database, run);
  else if (page.activities.length > 0) await takePage(deps, { run, endMs }, page);
  else await compare(deps, { run, endMs }, page.connectedMs);
  return 'done';
}

async function postponed(
  { database, pace }: Reconciling,
  run: ReconciliationLease,
  reason: string | null,
): Promise<PageOutcome> {
  const failures = reason === null ? 0 : 1;
  const delayMs = pageDelayMs(run.failures, reason !== null);
  await postponeReconciliation(database, run, { aheadMs: pace.aheadMs(), delayMs, failures, reason });
  return failures === 0 ? 'wait' : 'failed';
}

async function takePage(
  deps: Reconciling,
  { run, endMs }: Listing,
  { activities, connectedMs }: FoundPage,
): Promise<void> {
  const { database, pace } = deps;
  const lease = { aheadMs: pace.aheadMs(), leaseMs: pace.leaseMs };
  const requested = {
    user_id: run.user_id,
    connection_id: run.connection_id,
    backfill_id: null,
    connected_at: new Date(connectedMs),
    deletedBeforeMs: endMs - settleMs,
    priority: priorities.repair,
  };
  const starts = startsOf(activities);
  const isCutOff = run.pages + 1 >= mostPages;
  const jobs = await database.transaction(async (transaction) => {
    const ids = starts.map(({ id }) => id);
    const isHeld = isCutOff
      ? await finishReconciliation(transaction, run, 'CUT_OFF')
      : await recordListed(transaction, run, { ids, endMs, connectedMs });
    return isHeld ? enqueueActivities(transaction, requested, starts, lease) : [];
  });
  await storeListed(deps, run.user_id, activities, jobs);
}

// The end of the reconciliation and the jobs are committed together, so that a process that takes over repeats both.
async function compare(deps: Reconciling, { run, endMs }: Listing, connectedMs: number): Promise<void> {
  const { database, logger } = deps;
  const { user_id, connection_id } = run;
  const comparison = await findUnlisted(deps, { run, endMs }, connectedMs);
  const checks = await database.transaction(async (transaction) => {
    if (!(await finishReconciliation(transaction, run, comparison.reason))) return 0;
    const { activities } = comparison;
    const readBeforeMs = endMs - settleMs;
    return enqueueChecks(transaction, {
      user_id,
      connection_id,
      activities,
      connectedMs,
      readBeforeMs,
      limit: mostChecks,
    });
  });
  const { length: listed } = run.listed;
  logger.info('reconciliation.done', { user_id, listed, checks, reason: comparison.reason ?? undefined });
}

interface Unlisted {
  /** Why nothing was compared. */
  readonly reason: string | null;
  readonly activities: { readonly id: string; readonly startMs: number }[];
}

async function findUnlisted(
  deps: Reconciling,
  { run, endMs }: Listing,
  connectedMs: number,
): Promise<Unlisted> {
  const connection = await readsAll(deps, run.user_id);
  const isSame = connection?.connection_id === run.connection_id && connection.connectedMs === connectedMs;
  if (!isSame) return { reason: 'SCOPE_MISSING', activities: [] };
  const workouts = await deps.call('timeseries.workoutKeys', {
    user_id: run.user_id,
    provider: 'activitynet',
    start_ms: run.start_time.getTime() + startMarginMs,
    end_ms: endMs - settleMs,
    limit: mostStored,
  });
  const listed = new Set(run.listed);
  const activities = workouts
    .filter(({ key }) => /^\d{1,18}$/.test(key) && !listed.has(key))
    .map(({ key, start_ms }) => ({ id: key, startMs: start_ms }));
  return { reason: null, activities };
}

const connectionsPerCall = 500;
/** A nightly reconciliation lists this many days. */
const days = 7;

/**
 * The recurring job that schedules a reconciliation of each active connection, once a day at its own time. It runs several
 * times a day, for connections that were made meanwhile or whose last reconciliation was still waiting.
 */
export function nightlyJob(deps: Fetching & Pick<Environment, 'logger'>): JobHandler {
  const { scheduleMs: everyMs, firstScheduleMs: firstAfterMs } = deps.pace;
  return recurringHandler({ name: 'activitynet.nightly', everyMs, firstAfterMs }, ({ signal }) =>
    scheduleNightly(deps, signal),
  );
}

async function scheduleNightly(
  { call, database, pace, logger }: Fetching & Pick<Environment, 'logger'>,
  signal: AbortSignal,
): Promise<undefined> {
  let after: string | null = null;
  let scheduled = 0;
  do {
    const listed: readonly { readonly connection_id: string; readonly user_id: string }[] = await call(
      'users.activeConnections',
      { provider: 'activitynet', after, limit: connectionsPerCall },
    );
    const nowMs = Date.now() + pace.aheadMs();
    const nightly = listed.map(({ connection_id, user_id }) => {
      const at_ms = nextAt(nowMs, timeOfDayMs(connection_id));
      return { connection_id, user_id, at_ms, start_ms: at_ms - days * dayMs };
    });
    scheduled += await scheduleReconciliations(database, nightly);
    after = listed.length < connectionsPerCall ? null : (listed.at(-1)?.connection_id ?? null);
  } while (after !== null && !signal.aborted);
  if (scheduled > 0) logger.info('reconciliations.scheduled', { scheduled });
  return undefined;
}
