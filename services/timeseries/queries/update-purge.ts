import type { Queryable } from '../../../mixins/database.ts';

const one = 'where user_id = $1 and provider = $2';

/** Notes that the versions of what was purged are gone. */
export async function finishItems(transaction: Queryable, userId: string, provider: string): Promise<void> {
  await transaction.query(`update timeseries.purge set items_done = true ${one}`, [userId, provider]);
}

/** Notes that the samples of a purged series are gone. */
export async function forgetPurgedSeries(
  transaction: Queryable,
  userId: string,
  provider: string,
  seriesId: number,
): Promise<void> {
  await transaction.query(`update timeseries.purge set series_ids = array_remove(series_ids, $3) ${one}`, [
    userId,
    provider,
    seriesId,
  ]);
}

/** Lets data in again; the versions of what was there are gone. */
export async function openPurge(transaction: Queryable, userId: string, provider: string): Promise<void> {
  await transaction.query(`update timeseries.purge set closed = false, items_done = true ${one}`, [
    userId,
    provider,
  ]);
}
