import { dayMs, hourMs } from '../../../domain/time/time.ts';
import { readableConnection } from '../../../mixins/backfill-runs.ts';
import { type JobHandler, recurringHandler } from '../../../mixins/jobs/jobs.ts';
import { nextAt, timeOfDayMs } from '../../../runtime/jobs/time-of-day.ts';
import { enqueueChecks } from '../tables/listed-activities.ts';
import {
  finishReconciliation,
  type ListingLease,
  requestReconciliation,
  scheduleReconciliations,
} from '../tables/listings.ts';
import type { Fetching } from './fetch-activity.ts';
import { readsAll } from './reads.ts';

/*
 * A reconciliation lists the activities of an account and compares the ids with what is stored. Unknown ones are fetched.
 * Stored ones that are not listed are read, and deleted if that read confirms it (`confirmUnlisted`). The comparison
 * needs the whole list: it begins with the empty page that ends it.
 */

/** Activities that start this close to the start of the span are not compared: a start may be changed. */
const startMarginMs = 24 * hourMs;
/** Activities that started or were read this shortly before the list are not compared: it may not contain them yet. */
export const settleMs = hourMs;
/** Maximum number of stored activities that are compared. */
const mostStored = 10_000;
/** Maximum number of activities that one reconciliation reads because they are not listed. */
const mostChecks = 100;

/**
 * Makes a connection wait for a reconciliation from `start_ms` until the list is read. Returns the start of the waiting
 * one, which may be earlier. @throws as readableConnection
 */
export async function startReconciliation(
  { database, call }: Pick<Fetching, 'database' | 'call'>,
  { user_id, start_ms }: { readonly user_id: string; readonly start_ms: number },
): Promise<{ start_ms: number }> {
  const { connection_id } = await readableConnection(call, { user_id, provider: 'activitynet' });
  const start = await requestReconciliation(database, { user_id, connection_id, start_ms });
  return { start_ms: start.getTime() };
}

/** A claimed list, with its end. */
export interface ListedSpan {
  readonly run: ListingLease;
  readonly endMs: number;
}

/**
 * Compares the whole list of a reconciliation and ends it. The end and the jobs are committed together, so that a process that
 * takes over repeats both.
 */
export async function compareListed(
  deps: Fetching,
  { run, endMs }: ListedSpan,
  connectedMs: number,
): Promise<void> {
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
  deps: Fetching,
  { run, endMs }: ListedSpan,
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
export function nightlyJob(deps: Fetching): JobHandler {
  const { scheduleMs: everyMs, firstScheduleMs: firstAfterMs } = deps.pace;
  return recurringHandler({ name: 'activitynet.nightly', everyMs, firstAfterMs }, ({ signal }) =>
    scheduleNightly(deps, signal),
  );
}

async function scheduleNightly(
  { call, database, pace, logger }: Fetching,
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
