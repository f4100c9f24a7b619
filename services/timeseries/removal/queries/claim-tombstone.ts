import type { Queryable } from '../../../../mixins/database.ts';

/** A user whose erasure goes on, with the series whose samples still lie there. */
export interface TombstoneRow {
  user_id: string;
  series_ids: number[];
}

/**
 * Takes one erasure that is not finished for this transaction; others pass it by, and whoever dies lets go of it.
 * Undefined where there is none that is free.
 */
export async function claimTombstone(transaction: Queryable): Promise<TombstoneRow | undefined> {
  const [row] = await transaction.query<TombstoneRow>(
    `select user_id, series_ids from timeseries.tombstone
     where finished_at is null order by erased_at limit 1 for update skip locked`,
  );
  return row;
}
