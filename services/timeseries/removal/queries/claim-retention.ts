import type { Queryable } from '../../../../mixins/database/database.ts';

/** Progress of a retention pass over all series. */
export interface RetentionRow {
  /** A date, or `-infinity`. */
  kept_from: string;
  series_id: number;
  is_finished: boolean;
}

/**
 * Locks the pass for this transaction. The lock ends with the process. Undefined if another process holds it. A pass
 * with another border than `keptFrom` starts again.
 */
export async function claimRetention(
  transaction: Queryable,
  keptFrom: string,
): Promise<RetentionRow | undefined> {
  const [row] = await transaction.query<RetentionRow>(
    `select kept_from::text, series_id, finished_at is not null as is_finished
     from timeseries.retention for update skip locked`,
  );
  if (row === undefined || row.kept_from === keptFrom) return row;
  await transaction.query(
    'update timeseries.retention set kept_from = $1, series_id = 0, finished_at = null',
    [keptFrom],
  );
  return { kept_from: keptFrom, series_id: 0, is_finished: false };
}

/** Locks all passes for this transaction. Returns false if another process holds the lock. */
export async function lockRetention(transaction: Queryable): Promise<boolean> {
  return (await transaction.query('select from timeseries.retention for update skip locked')).length > 0;
}

/** Records that this series and all with smaller ids contain no expired samples. */
export async function passSeries(transaction: Queryable, seriesId: number): Promise<void> {
  await transaction.query('update timeseries.retention set series_id = $1', [seriesId]);
}

/** Records that a pass is done, unless a later one has begun. */
export async function finishRetention(database: Queryable, keptFrom: string): Promise<void> {
  await database.query('update timeseries.retention set finished_at = now() where kept_from = $1', [
    keptFrom,
  ]);
}
