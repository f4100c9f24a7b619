import type { Fetching } from './fetched.ts';
import { type FoundPage, listQuery, pageOf, placesOf, storeListed } from './listed-activities.ts';
import {
  type BackfillLease,
  enqueueActivities,
  postponeBackfill,
  recordPage,
  stopBackfill,
} from './queries/backfill-pages.ts';
import { finishBackfill } from './queries/backfill-runs.ts';
import { deleteUser } from './queries/drop-work.ts';
import { priorities } from './queries/note-event.ts';
import { type ReadResult, reserveReads } from './reads.ts';

/** `wait`: no read was possible. `failed`: the page is read again later. `stopped`: the run has ended. */
export type PageOutcome = 'done' | 'wait' | 'failed' | 'stopped';

/**
 * Reads the next page of the run's activity list. Each unknown activity becomes a job. The data that the list itself
 * contains is stored at once: a year of activities is visible after a few reads, and their details follow day by day.
 */
export async function listBackfillPage(
  listing: Fetching,
  run: BackfillLease,
  signal: AbortSignal,
): Promise<PageOutcome> {
  const reservation = await reserveReads(listing, { user_id: run.user_id, work: 'backfill', signal }, 1);
  if (reservation === null) return postponed(listing, run, null);
  try {
    const { start_time, end_time, pages } = run;
    const query = listQuery(start_time.getTime(), end_time.getTime(), pages);
    return await goOn(listing, run, await reservation.read('/athlete/activities', query));
  } finally {
    await reservation.close();
  }
}

async function goOn(listing: Fetching, run: BackfillLease, result: ReadResult): Promise<PageOutcome> {
  const page = pageOf(result);
  if (page.kind === 'wait') return postponed(listing, run, null);
  if (page.kind === 'failed') return postponed(listing, run, page.reason);
  if (page.kind === 'stopped') {
    if (page.reason === 'USER_GONE') await deleteUser(listing.database, run.user_id);
    else await stopBackfill(listing.database, run, page.reason);
    return 'stopped';
  }
  await takePage(listing, run, page.activities);
  return 'done';
}

const waitMs = 1000;
const longestWaitMs = 3_600_000;

/** The delay of a page: short if it waits for the quota, and longer with each failure in a row. */
export function pageDelayMs(failures: number, isFailure: boolean): number {
  return isFailure ? Math.min(longestWaitMs, waitMs * 2 ** (failures + 1)) : waitMs;
}

async function postponed(
  { database, pace }: Fetching,
  run: BackfillLease,
  reason: string | null,
): Promise<PageOutcome> {
  const failures = reason === null ? 0 : 1;
  const delayMs = pageDelayMs(run.failures, reason !== null);
  await postponeBackfill(database, run, { aheadMs: pace.aheadMs(), delayMs, failures, reason });
  return failures === 0 ? 'wait' : 'failed';
}

async function takePage(
  listing: Fetching,
  run: BackfillLease,
  activities: FoundPage['activities'],
): Promise<void> {
  const { database, pace } = listing;
  const lease = { aheadMs: pace.aheadMs(), leaseMs: pace.leaseMs };
  const requested = {
    ...{ user_id: run.user_id, connection_id: run.connection_id, backfill_id: run.id },
    ...{ connected_at: run.connected_at, deletedBeforeMs: run.created_at.getTime() },
    priority: priorities.backfill,
  };
  const jobs = await database.transaction(async (transaction) => {
    if (!(await recordPage(transaction, run, activities.length)) || activities.length === 0) return [];
    return enqueueActivities(transaction, requested, placesOf(activities), lease);
  });
  try {
    await storeListed(listing, run.user_id, activities, jobs);
  } finally {
    if (activities.length === 0) await finishBackfill(database, run.id);
  }
}
