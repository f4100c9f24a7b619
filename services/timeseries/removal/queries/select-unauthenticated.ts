import type { Queryable } from '../../../../mixins/database/database.ts';
import { activityItems, isActivity } from '../../samples/activity-samples.ts';

/** The unauthenticated deliveries of a provider that arrived within [from, to), as ISO times. */
export interface UnauthenticatedRange {
  readonly provider: string;
  readonly from: string | null;
  readonly to: string;
}

/** An item whose stored version came in such a delivery. */
export interface UnauthenticatedItem {
  readonly user_id: string;
  readonly data_type: string;
  readonly key: string;
}

// The slots of epochs have parts of several items, so what one of them brought cannot be told.
const isMarked = `unauthenticated and provider = $1 and received_at >= coalesce($2::timestamptz, '-infinity')
  and received_at < $3::timestamptz and data_type <> 'epochs'
  and (hash is not null or pending_hash is not null)`;
const valuesOf = ({ provider, from, to }: UnauthenticatedRange) => [provider, from, to];

/** Counts items and their users. */
export async function countUnauthenticated(
  database: Queryable,
  range: UnauthenticatedRange,
): Promise<{ readonly items: number; readonly users: number }> {
  const text = `select count(*)::int as items, count(distinct user_id)::int as users from timeseries.item where ${isMarked}`;
  const [row] = await database.query<{ items: number; users: number }>(text, valuesOf(range));
  return row ?? { items: 0, users: 0 };
}

/** The first items, in the order of users. */
export function selectUnauthenticated(
  database: Queryable,
  range: UnauthenticatedRange,
  limit: number,
): Promise<UnauthenticatedItem[]> {
  const text = `select user_id, data_type, key from timeseries.item where ${isMarked} order by user_id, data_type, key limit $4`;
  return database.query<UnauthenticatedItem>(text, [...valuesOf(range), limit]);
}

/** Whether an authenticated delivery brought a part of an activity. */
export async function hasAuthenticatedPart(
  transaction: Queryable,
  { user_id, key }: UnauthenticatedItem,
  provider: string,
): Promise<boolean> {
  const text = `select from timeseries.item
    where user_id = $1 and provider = $2 and data_type = any($3::text[]) and key = $4 and not unauthenticated`;
  return (await transaction.query(text, [user_id, provider, activityItems, key])).length > 0;
}

/**
 * Clears the version of an item, of an activity those of all its parts, and keeps the mark, so that its kept delivery does
 * not bring it again. A new delivery, and a kept authenticated one, do.
 */
export async function clearItem(
  transaction: Queryable,
  { user_id, data_type, key }: UnauthenticatedItem,
  provider: string,
): Promise<void> {
  await transaction.query(
    `update timeseries.item set hash = null, pending_hash = null, duration_seconds = 0, record_ids = '{}',
       footprint = null, first_day = null, last_day = null
     where user_id = $1 and provider = $2 and data_type = any($3::text[]) and key = $4 and unauthenticated`,
    [user_id, provider, isActivity({ data_type }) ? activityItems : [data_type], key],
  );
}
