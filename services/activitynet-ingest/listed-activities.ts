import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { StoreItem } from '../../domain/records/records.ts';
import { parseInstant } from '../../domain/time/time.ts';
import { normaliseActivity } from '../../providers/activitynet/normalise/activity.ts';
import { normaliserVersionOf } from '../../providers/all.ts';
import { itemOf } from './fetch-activity.ts';
import type { Fetching } from './fetched.ts';
import { type Enqueued, releaseEnqueued } from './queries/backfill-pages.ts';
import type { ReadResult } from './reads.ts';

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
export type ListedPage =
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
  const activities = [...new Map(listed.data.map((one) => [one.id, one])).values()];
  return { kind: 'page', activities, connectedMs: result.connectedMs };
}

/** The ids and starts of listed activities. */
export function placesOf(activities: Listed): { id: string; startMs: number }[] {
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
  const items = activities.filter(({ id }) => wanted.has(id)).flatMap((one) => listedItem(one, nowMs));
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
