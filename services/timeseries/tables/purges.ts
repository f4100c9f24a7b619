import type { Queryable } from '../../../mixins/database/database.ts';

/**
 * Blocks ingestion of a provider's data of a user and deletes its series. `series_ids` keeps their ids for the
 * background deletion. Returns false if this request or a later one was carried out before.
 */
export async function upsertPurge(
  transaction: Queryable,
  userId: string,
  provider: string,
  version: number,
): Promise<boolean> {
  const upserted = await transaction.query(
    `insert into timeseries.purge as p (user_id, provider, version, closed, series_ids, items_done)
     values ($1, $2, $3, true, '{}', false)
     on conflict (user_id, provider) do update
       set version = excluded.version, closed = true, items_done = false, purged_at = now()
       where p.version < excluded.version
     returning 1`,
    [userId, provider, version],
  );
  if (upserted.length === 0) return false;
  await transaction.query(
    `with gone as (delete from timeseries.series where user_id = $1 and provider = $2 returning id)
     update timeseries.purge set series_ids = series_ids || (select coalesce(array_agg(id order by id), '{}') from gone)
     where user_id = $1 and provider = $2`,
    [userId, provider],
  );
  return true;
}

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

/** Records that the stored versions of purged items are deleted. Returns whether nothing is left. */
export function finishItems(transaction: Queryable, userId: string, provider: string): Promise<boolean> {
  return update(transaction, 'items_done = true', [userId, provider]);
}

/** Records that the samples of a purged series are deleted. Returns whether nothing is left. */
export function forgetPurgedSeries(
  transaction: Queryable,
  userId: string,
  provider: string,
  seriesId: number,
): Promise<boolean> {
  return update(transaction, 'series_ids = array_remove(series_ids, $3)', [userId, provider, seriesId]);
}

/** Allows ingestion again. The stored versions are deleted. Returns whether nothing is left. */
export function openPurge(transaction: Queryable, userId: string, provider: string): Promise<boolean> {
  return update(transaction, 'closed = false, items_done = true', [userId, provider]);
}

async function update(transaction: Queryable, change: string, values: readonly unknown[]): Promise<boolean> {
  const statement = `
    update timeseries.purge set ${change} where user_id = $1 and provider = $2
    returning items_done and cardinality(series_ids) = 0 as is_finished`;
  const [row] = await transaction.query<{ is_finished: boolean }>(statement, values);
  return row?.is_finished === true;
}
