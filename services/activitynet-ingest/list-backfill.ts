import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { StoreItem } from '../../domain/records/records.ts';
import { parseInstant } from '../../domain/time/time.ts';
import { normaliseActivity } from '../../providers/activitynet/normalise/activity.ts';
import { normaliserVersionOf } from '../../providers/all.ts';
import { itemOf } from './fetch-activity.ts';
import type { Fetching } from './fetched.ts';
import {
  type BackfillLease,
  type Enqueued,
  enqueueActivities,
  postponeBackfill,
  recordPage,
  releaseEnqueued,
  stopBackfill,
} from './queries/backfill-pages.ts';
import { finishBackfill } from './queries/backfill-runs.ts';
import { deleteUser } from './queries/drop-work.ts';
import { type ReadResult, reserveReads } from './reads.ts';

/** The provider's maximum page size. */
export const perPage = 100;

const Listed = z.array(
  z.looseObject({ id: z.string().regex(/^\d{1,18}$/), start_date: z.string().max(40).catch('') }),
);
type Listed = z.output<typeof Listed>;

/** `wait`: no read was possible. `failed`: the page is read again later. `stopped`: the run has ended. */
type PageOutcome = 'done' | 'wait' | 'failed' | 'stopped';

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
    const result = await reservation.read('/athlete/activities', queryOf(run));
    return await goOn(listing, run, result);
  } finally {
    await reservation.close();
  }
}

function queryOf({ start_time, end_time, pages }: BackfillLease): Record<string, string> {
  return {
    after: String(start_time.getTime() / 1000 - 1),
    before: String(end_time.getTime() / 1000),
    page: String(pages + 1),
    per_page: String(perPage),
  };
}

async function goOn(listing: Fetching, run: BackfillLease, result: ReadResult): Promise<PageOutcome> {
  const { database } = listing;
  if (result.kind === 'wait') return postponed(listing, run, null);
  if (result.kind === 'failed') return postponed(listing, run, result.reason);
  if (result.kind === 'gone' && result.reason === 'USER_GONE') {
    await deleteUser(database, run.user_id);
    return 'stopped';
  }
  if (result.kind !== 'found') {
    await stopBackfill(database, run, result.kind === 'missing' ? 'NOT_FOUND' : result.reason);
    return 'stopped';
  }
  const listed = Listed.safeParse(result.body);
  if (!listed.success) return postponed(listing, run, 'UNREADABLE');
  await takePage(listing, run, listed.data);
  return 'done';
}

const waitMs = 1000;
const longestWaitMs = 3_600_000;

async function postponed(
  { database, pace }: Fetching,
  run: BackfillLease,
  reason: string | null,
): Promise<PageOutcome> {
  const failures = reason === null ? 0 : 1;
  const delayMs = failures === 0 ? waitMs : Math.min(longestWaitMs, waitMs * 2 ** (run.failures + 1));
  await postponeBackfill(database, run, { aheadMs: pace.aheadMs(), delayMs, failures, reason });
  return failures === 0 ? 'wait' : 'failed';
}

async function takePage(listing: Fetching, run: BackfillLease, listed: Listed): Promise<void> {
  const { database, pace } = listing;
  const distinct = [...new Map(listed.map((one) => [one.id, one])).values()];
  const lease = { aheadMs: pace.aheadMs(), leaseMs: pace.leaseMs };
  const placed = distinct.map(({ id, start_date }) => ({ id, startMs: parseInstant(start_date)?.ms ?? 0 }));
  const jobs = await database.transaction(async (transaction) => {
    if (!(await recordPage(transaction, run, distinct.length))) return [];
    return placed.length === 0 ? [] : enqueueActivities(transaction, run, placed, lease);
  });
  try {
    await storeListed(listing, run, distinct, jobs);
  } finally {
    await releaseEnqueued(database, run.user_id, jobs);
    if (distinct.length === 0) await finishBackfill(database, run.id);
  }
}

// An error is ignored here: the same activities are stored again with their details.
async function storeListed(
  { call, pace }: Fetching,
  { user_id }: BackfillLease,
  listed: Listed,
  jobs: readonly Enqueued[],
): Promise<void> {
  const wanted = new Set(jobs.map(({ object_id }) => object_id));
  const nowMs = Date.now() + pace.aheadMs();
  const items = listed.filter(({ id }) => wanted.has(id)).flatMap((one) => listedItem(one, nowMs));
  if (items.length === 0) return;
  const provider = 'activitynet';
  const request = { user_id, provider, normaliser_version: normaliserVersionOf(provider), items } as const;
  await call('timeseries.store', request).catch(() => undefined);
}

// The hash differs from that of the details, so that the details are always stored over it. The list has no samples.
function listedItem(one: Listed[number], nowMs: number): StoreItem[] {
  const activity = normaliseActivity(one, nowMs);
  if (activity === null) return [];
  const hash = createHash('sha256').update(`listed ${activity.hash}`).digest('hex');
  return [{ ...itemOf({ object_id: one.id }, { ...activity, hash }), samples_kept: true }];
}
