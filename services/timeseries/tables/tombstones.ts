import type { Queryable } from '../../../mixins/database/database.ts';

const statement = {
  name: 'timeseries-select-tombstone',
  text: `
    select from timeseries.tombstone where user_id = $1
    union all select from timeseries.purge where user_id = $1 and provider = $2 and closed`,
};

/**
 * Whether a user was erased, or the user's data of a provider was purged. Must be read under the user's lock. Otherwise
 * a running store could write after the erasure.
 */
export async function isErased(transaction: Queryable, userId: string, provider: string): Promise<boolean> {
  return (await transaction.query(statement, [userId, provider])).length > 0;
}

/**
 * Marks a user as erased and deletes the user's series and records. Their samples remain until the background erasure,
 * for which `series_ids` keeps the ids of the series. A second call finds the mark and changes nothing.
 */
export async function insertTombstone(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(
    `with gone as (delete from timeseries.series where user_id = $1 returning id)
     insert into timeseries.tombstone (user_id, series_ids)
     select $1, coalesce(array_agg(id order by id), '{}') from gone
     on conflict (user_id) do nothing`,
    [userId],
  );
  const records = [
    'workout',
    'sleep_session',
    'provider_day',
    'day_value',
    'score',
    'epoch_part',
    'other_record',
  ];
  const tables = [
    'night_mean',
    ...records,
    'clock_day',
    'placed_span',
    'interval_set',
    'source_priority',
    'route_privacy',
  ];
  for (const table of tables)
    await transaction.query(`delete from timeseries.${table} where user_id = $1`, [userId]);
}

/** Locks a user's unfinished erasure for this transaction. Returns the series whose samples remain. */
export async function lockTombstone(transaction: Queryable, userId: string): Promise<number[] | undefined> {
  const [row] = await transaction.query<{ series_ids: number[] }>(
    'select series_ids from timeseries.tombstone where user_id = $1 and finished_at is null for update',
    [userId],
  );
  return row?.series_ids;
}

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
