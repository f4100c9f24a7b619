import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { StoreItem } from '../../../domain/records/records.ts';
import { parseInstant } from '../../../domain/time/time.ts';
import { normaliseActivity } from '../../../providers/activitynet/normalise/activity.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { priorities } from '../tables/activities.ts';
import { deleteUser } from '../tables/drop-work.ts';
import { type Enqueued, enqueueActivities, releaseEnqueued } from '../tables/listed-activities.ts';
import {
  finishBackfill,
  finishReconciliation,
  type ListingLease,
  postponeListing,
  recordPage,
  restartReconciliation,
  stopListing,
} from '../tables/listings.ts';
import { type Fetching, itemOf } from './fetch-activity.ts';
import { type ReadResult, withReads } from './reads.ts';
import { compareListed, type ListedSpan, settleMs } from './reconcile.ts';

/*
 * The list of a connection's activities is read page by page, for a backfill or a reconciliation. Each unknown activity becomes
 * a job. The data that the list itself contains is stored at once: a year of activities is visible after a few reads, and their
 * details follow day by day.
 */

/** `wait`: no read was possible. `failed`: the page is read again later. `stopped`: the list has ended. */
type PageOutcome = 'done' | 'wait' | 'failed' | 'stopped';

/** The provider's maximum page size. */
const perPage = 100;
/** The list of a reconciliation that is longer is cut off, and nothing is compared. */
const mostPages = 50;

/** Reads the next page of a list. An error counts as a failure of the page. */
export async function readListPage(
  deps: Fetching,
  run: ListingLease,
  signal: AbortSignal,
): Promise<PageOutcome> {
  const { user_id, purpose, start_time, pages } = run;
  const work = purpose === 'backfill' ? 'backfill' : 'repair';
  const endMs = run.end_time?.getTime() ?? Date.now() + deps.pace.aheadMs();
  const query = listQuery(start_time.getTime(), endMs, pages);
  try {
    const outcome = await withReads(deps, { user_id, work, signal }, 1, async (read) =>
      goOn(deps, { run, endMs }, await read('/athlete/activities', query)),
    );
    return outcome ?? (await postponed(deps, run, null));
  } catch (error) {
    return await postponed(deps, run, signal.aborted ? null : codeOf(error));
  }
}

// The span is [startMs, endMs), and the first page has the number 0.
function listQuery(startMs: number, endMs: number, page: number): Record<string, string> {
  return {
    after: String(Math.floor(startMs / 1000) - 1),
    before: String(Math.ceil(endMs / 1000)),
    page: String(page + 1),
    per_page: String(perPage),
  };
}

async function goOn(deps: Fetching, { run, endMs }: ListedSpan, result: ReadResult): Promise<PageOutcome> {
  const { database } = deps;
  if (result.kind === 'wait') return postponed(deps, run, null);
  if (result.kind === 'failed') return postponed(deps, run, result.reason);
  if (result.kind !== 'found') {
    const reason = result.kind === 'missing' ? 'NOT_FOUND' : result.reason;
    if (reason === 'USER_GONE') await deleteUser(database, run.user_id);
    else await stopListing(database, run, reason);
    return 'stopped';
  }
  const activities = listedIn(result.body);
  if (activities === null) return postponed(deps, run, 'UNREADABLE');
  const { connectedMs } = result;
  const isRepeated =
    activities.length === run.listed.length && activities.every(({ id }) => run.listed.includes(id));
  // The provider ignores the page: the list would never end.
  if (activities.length > 0 && isRepeated) {
    await stopListing(database, run, 'PAGES_REPEAT');
    return 'stopped';
  }
  const isOfAnother = run.connected_at !== null && run.connected_at.getTime() !== connectedMs;
  if (run.purpose === 'reconciliation' && isOfAnother) await restartReconciliation(database, run);
  else if (run.purpose === 'reconciliation' && activities.length === 0)
    await compareListed(deps, { run, endMs }, connectedMs);
  else await takePage(deps, { run, endMs }, activities, connectedMs);
  return 'done';
}

const waitMs = 1000;
const longestWaitMs = 3_600_000;

// The delay is short if a page waits for the quota, and longer with each failure in a row.
async function postponed(
  { database, pace }: Fetching,
  run: ListingLease,
  reason: string | null,
): Promise<PageOutcome> {
  const delayMs = reason === null ? waitMs : Math.min(longestWaitMs, waitMs * 2 ** (run.failures + 1));
  await postponeListing(database, run, { aheadMs: pace.aheadMs(), delayMs, reason });
  return reason === null ? 'wait' : 'failed';
}

const Listed = z.array(
  z.looseObject({ id: z.string().regex(/^\d{1,18}$/), start_date: z.string().max(40).catch('') }),
);
type Listed = z.output<typeof Listed>;

// The distinct activities of an answer. Null: it is no list.
function listedIn(body: unknown): Listed | null {
  const { data } = Listed.safeParse(body);
  return data === undefined ? null : [...new Map(data.map((activity) => [activity.id, activity])).values()];
}

async function takePage(
  deps: Fetching,
  { run, endMs }: ListedSpan,
  activities: Listed,
  connectedMs: number,
): Promise<void> {
  const { database, pace } = deps;
  const { user_id, connection_id } = run;
  const isBackfill = run.purpose === 'backfill';
  const isCutOff = !isBackfill && run.pages + 1 >= mostPages;
  const listed = activities.map(({ id, start_date }) => ({ id, startMs: parseInstant(start_date)?.ms ?? 0 }));
  const page = {
    found: listed.length,
    ids: listed.map(({ id }) => id),
    endMs,
    connectedMs,
  };
  const requested = {
    user_id,
    connection_id,
    backfill_id: isBackfill ? run.id : null,
    connectedMs,
    deletedBeforeMs: isBackfill ? run.created_at.getTime() : endMs - settleMs,
    priority: isBackfill ? priorities.backfill : priorities.repair,
  };
  const lease = { aheadMs: pace.aheadMs(), leaseMs: pace.leaseMs };
  const jobs = await database.transaction(async (transaction) => {
    const isHeld = isCutOff
      ? await finishReconciliation(transaction, run, 'CUT_OFF')
      : await recordPage(transaction, run, page);
    return isHeld ? enqueueActivities(transaction, requested, listed, lease) : [];
  });
  try {
    await storeListed(deps, user_id, activities, jobs);
  } finally {
    if (isBackfill && listed.length === 0) await finishBackfill(database, run.id);
  }
}

// Stores the data that the list itself contains of the enqueued activities, and releases their jobs.
async function storeListed(
  listing: Fetching,
  userId: string,
  activities: Listed,
  jobs: readonly Enqueued[],
): Promise<void> {
  try {
    await storeItems(listing, userId, activities, jobs);
  } finally {
    await releaseEnqueued(listing.database, userId, jobs);
  }
}

// An error is ignored here: the same activities are stored again with their details.
async function storeItems(
  { call, pace }: Fetching,
  user_id: string,
  activities: Listed,
  jobs: readonly Enqueued[],
): Promise<void> {
  const wanted = new Set(jobs.map(({ object_id }) => object_id));
  const nowMs = Date.now() + pace.aheadMs();
  const items = activities
    .filter(({ id }) => wanted.has(id))
    .flatMap((activity) => listedItem(activity, nowMs));
  if (items.length === 0) return;
  const provider = 'activitynet';
  const request = { user_id, provider, normaliser_version: normaliserVersionOf(provider), items } as const;
  await call('timeseries.store', request).catch(() => undefined);
}

// The hash differs from that of the details, so that the details are always stored over it. The list has no samples.
function listedItem(listed: Listed[number], nowMs: number): StoreItem[] {
  const activity = normaliseActivity(listed, nowMs);
  if (activity === null) return [];
  const hash = createHash('sha256').update(`listed ${activity.hash}`).digest('hex');
  return [{ ...itemOf({ object_id: listed.id }, { ...activity, hash }), samples_kept: true }];
}
