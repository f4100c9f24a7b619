import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { StoreItem } from '../../../domain/records/records.ts';
import { parseInstant } from '../../../domain/time/time.ts';
import { normaliseActivity } from '../../../providers/activitynet/normalise/activity.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import { priorities } from '../tables/activities.ts';
import {
  type BackfillLease,
  finishBackfill,
  postponeBackfill,
  recordPage,
  stopBackfill,
} from '../tables/backfills.ts';
import { deleteUser } from '../tables/drop-work.ts';
import { type Enqueued, enqueueActivities, releaseEnqueued } from '../tables/listed-activities.ts';
import { type Fetching, itemOf } from './fetch-activity.ts';
import { type ReadResult, reserveReads } from './reads.ts';

/** The provider's maximum page size. */
const perPage = 100;

const Listed = z.array(
  z.looseObject({ id: z.string().regex(/^\d{1,18}$/), start_date: z.string().max(40).catch('') }),
);
type Listed = z.output<typeof Listed>;

/** A page of the list of activities. The span is [startMs, endMs), and the first page has the number 0. */
export function listQuery(startMs: number, endMs: number, page: number): Record<string, string> {
  return {
    after: String(Math.floor(startMs / 1000) - 1),
    before: String(Math.ceil(endMs / 1000)),
    page: String(page + 1),
    per_page: String(perPage),
  };
}

/** A page of the list. */
export interface FoundPage {
  readonly kind: 'page';
  readonly activities: Listed;
  /** When the connection was made by whose token the page was read. */
  readonly connectedMs: number;
}

/** A page that was read, or the reason why there is none. `wait` is not an error. `stopped`: no page will follow. */
type ListedPage =
  | FoundPage
  | { readonly kind: 'wait' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stopped'; readonly reason: string };

/** The distinct activities of an answer. An answer that is no list is an error. */
export function pageOf(result: ReadResult): ListedPage {
  if (result.kind === 'wait') return { kind: 'wait' };
  if (result.kind === 'failed') return { kind: 'failed', reason: result.reason };
  if (result.kind !== 'found')
    return { kind: 'stopped', reason: result.kind === 'missing' ? 'NOT_FOUND' : result.reason };
  const listed = Listed.safeParse(result.body);
  if (!listed.success) return { kind: 'failed', reason: 'UNREADABLE' };
  const activities = [...new Map(listed.data.map((activity) => [activity.id, activity])).values()];
  return { kind: 'page', activities, connectedMs: result.connectedMs };
}

/** The ids and starts of listed activities. */
export function startsOf(activities: Listed): { id: string; startMs: number }[] {
  return activities.map(({ id, start_date }) => ({ id, startMs: parseInstant(start_date)?.ms ?? 0 }));
}

/** Stores the data that the list itself contains of the enqueued activities, and releases their jobs. */
export async function storeListed(
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
    user_id: run.user_id,
    connection_id: run.connection_id,
    backfill_id: run.id,
    connected_at: run.connected_at,
    deletedBeforeMs: run.created_at.getTime(),
    priority: priorities.backfill,
  };
  const jobs = await database.transaction(async (transaction) => {
    if (!(await recordPage(transaction, run, activities.length)) || activities.length === 0) return [];
    return enqueueActivities(transaction, requested, startsOf(activities), lease);
  });
  try {
    await storeListed(listing, run.user_id, activities, jobs);
  } finally {
    if (activities.length === 0) await finishBackfill(database, run.id);
  }
}
