import type { Queryable } from '../../../../mixins/database/database.ts';

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
  const noted = await transaction.query(
    `insert into timeseries.purge as p (user_id, provider, version, closed, series_ids, items_done)
     values ($1, $2, $3, true, '{}', false)
     on conflict (user_id, provider) do update
       set version = excluded.version, closed = true, items_done = false, purged_at = now()
       where p.version < excluded.version
     returning 1`,
    [userId, provider, version],
  );
  if (noted.length === 0) return false;
  await transaction.query(
    `with gone as (delete from timeseries.series where user_id = $1 and provider = $2 returning id)
     update timeseries.purge set series_ids = series_ids || (select coalesce(array_agg(id order by id), '{}') from gone)
     where user_id = $1 and provider = $2`,
    [userId, provider],
  );
  return true;
}
