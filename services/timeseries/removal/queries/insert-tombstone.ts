import type { Queryable } from '../../../../mixins/database/database.ts';

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
  const clocks = ['user_clock', 'clock_day', 'placed_span'];
  const tables = ['night_mean', ...records, ...clocks, 'interval_set', 'source_priority', 'route_privacy'];
  for (const table of tables)
    await transaction.query(`delete from timeseries.${table} where user_id = $1`, [userId]);
}
