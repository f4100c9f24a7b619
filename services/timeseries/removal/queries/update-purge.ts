import type { Queryable } from '../../../../mixins/database/database.ts';

const one = 'where user_id = $1 and provider = $2';
const isFinished = 'items_done and cardinality(series_ids) = 0';

async function update(transaction: Queryable, change: string, values: readonly unknown[]): Promise<boolean> {
  const statement = `update timeseries.purge set ${change} ${one} returning ${isFinished} as finished`;
  const [row] = await transaction.query<{ finished: boolean }>(statement, values);
  return row?.finished === true;
}

/** Records that the stored versions of purged items are deleted. Returns whether nothing is left. */
export function finishItems(transaction: Queryable, userId: string, provider: string): Promise<boolean> {
  return update(transaction, 'items_done = true', [userId, provider]);
}

/** Records that the samples of a purged series are deleted. Returns whether nothing is left. */
export function forgetPurgedSeries(
  transaction: Queryable,
  userId: string,
  provider: string,
  seriesId: number,
): Promise<boolean> {
  return update(transaction, 'series_ids = array_remove(series_ids, $3)', [userId, provider, seriesId]);
}

/** Allows ingestion again. The stored versions are deleted. Returns whether nothing is left. */
export function openPurge(transaction: Queryable, userId: string, provider: string): Promise<boolean> {
  return update(transaction, 'closed = false, items_done = true', [userId, provider]);
}
