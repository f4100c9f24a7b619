import type { Queryable } from '../../../../mixins/database/database.ts';

/** Records that the samples of a series are deleted. */
export async function forgetSeries(transaction: Queryable, userId: string, seriesId: number): Promise<void> {
  await transaction.query(
    'update timeseries.tombstone set series_ids = array_remove(series_ids, $2) where user_id = $1',
    [userId, seriesId],
  );
}

/** Records that no data of the user is left. */
export async function finishTombstone(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query('update timeseries.tombstone set finished_at = now() where user_id = $1', [userId]);
}
