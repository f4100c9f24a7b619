import type { Queryable } from '../../../../mixins/database.ts';

/** Notes that the samples of a series are gone. */
export async function forgetSeries(transaction: Queryable, userId: string, seriesId: number): Promise<void> {
  await transaction.query(
    'update timeseries.tombstone set series_ids = array_remove(series_ids, $2) where user_id = $1',
    [userId, seriesId],
  );
}

/** Notes that nothing of the user is left. */
export async function finishTombstone(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query('update timeseries.tombstone set finished_at = now() where user_id = $1', [userId]);
}
