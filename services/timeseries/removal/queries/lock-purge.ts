import type { Queryable } from '../../../../mixins/database/database.ts';

/** A purge and its remaining work. */
export interface PurgeRow {
  user_id: string;
  provider: string;
  version: number;
  series_ids: number[];
  items_done: boolean;
}

/** The purge of a user and provider, locked until the end of the transaction. */
export async function lockPurge(
  transaction: Queryable,
  userId: string,
  provider: string,
): Promise<PurgeRow | undefined> {
  const [row] = await transaction.query<PurgeRow>(
    `select user_id, provider, version, series_ids, items_done from timeseries.purge
     where user_id = $1 and provider = $2 for update`,
    [userId, provider],
  );
  return row;
}
