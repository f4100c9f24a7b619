import type { Queryable } from '../../../../mixins/database.ts';

/** A purge and its remaining work. */
export interface PurgeRow {
  user_id: string;
  provider: string;
  version: number;
  series_ids: number[];
  items_done: boolean;
}

const columns = 'user_id, provider, version, series_ids, items_done';

/** Locks one unfinished purge for this transaction. Locked purges are skipped. Undefined if none is free. */
export async function claimPurge(transaction: Queryable): Promise<PurgeRow | undefined> {
  const [row] = await transaction.query<PurgeRow>(
    `select ${columns} from timeseries.purge
     where not items_done or cardinality(series_ids) > 0
     order by purged_at limit 1 for update skip locked`,
  );
  return row;
}

/** The purge of a user and provider, locked until the end of the transaction. */
export async function lockPurge(
  transaction: Queryable,
  userId: string,
  provider: string,
): Promise<PurgeRow | undefined> {
  const [row] = await transaction.query<PurgeRow>(
    `select ${columns} from timeseries.purge where user_id = $1 and provider = $2 for update`,
    [userId, provider],
  );
  return row;
}
