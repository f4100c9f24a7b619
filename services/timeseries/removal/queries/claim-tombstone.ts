import type { Queryable } from '../../../../mixins/database.ts';

/** A user whose erasure is unfinished, with the series whose samples remain. */
export interface TombstoneRow {
  user_id: string;
  series_ids: number[];
}

/**
 * Locks one unfinished erasure for this transaction. Locked erasures are skipped, and the lock ends with the process.
 * Undefined if none is free.
 */
export async function claimTombstone(transaction: Queryable): Promise<TombstoneRow | undefined> {
  const [row] = await transaction.query<TombstoneRow>(
    `select user_id, series_ids from timeseries.tombstone
     where finished_at is null order by erased_at limit 1 for update skip locked`,
  );
  return row;
}
