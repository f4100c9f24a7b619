import type { Queryable } from '../../../../mixins/database/database.ts';

/** Bounds a transaction: deleting 20,000 samples takes about 50 ms. */
const most = 20_000;
const tables = ['sample_hour', 'sample_day', 'sample_local_day', 'other_instants', 'activity_block'];

/**
 * Deletes a part of a series whose row is already deleted: statistics first, then the oldest samples, then intervals. Returns whether
 * it was the last part.
 */
export async function eraseSamples(transaction: Queryable, seriesId: number): Promise<boolean> {
  for (const table of tables)
    await transaction.query(`delete from timeseries.${table} where series_id = $1`, [seriesId]);
  const [next] = await transaction.query<{ ts: string }>(
    'select ts::text from timeseries.sample where series_id = $1 order by ts offset $2 limit 1',
    [seriesId, most],
  );
  await transaction.query(
    "delete from timeseries.sample where series_id = $1 and ts < coalesce($2::timestamptz, 'infinity')",
    [seriesId, next?.ts ?? null],
  );
  return next === undefined && (await eraseIntervals(transaction, seriesId));
}

async function eraseIntervals(transaction: Queryable, seriesId: number): Promise<boolean> {
  const rows = await transaction.query(
    `delete from timeseries.interval_value where ctid = any(array(
       select ctid from timeseries.interval_value where series_id = $1 limit $2)) and series_id = $1 returning 1`,
    [seriesId, most],
  );
  return rows.length < most;
}
