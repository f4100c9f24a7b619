import type { Queryable } from '../../../../mixins/database/database.ts';

/** Locks a user's unfinished erasure for this transaction. Returns the series whose samples remain. */
export async function lockTombstone(transaction: Queryable, userId: string): Promise<number[] | undefined> {
  const [row] = await transaction.query<{ series_ids: number[] }>(
    'select series_ids from timeseries.tombstone where user_id = $1 and finished_at is null for update',
    [userId],
  );
  return row?.series_ids;
}
