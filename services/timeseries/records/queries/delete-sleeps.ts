import type { Queryable } from '../../../../mixins/database/database.ts';

const merged = {
  name: 'timeseries-delete-merged-sleeps',
  text: `
    with gone as (delete from timeseries.sleep_session where user_id = $1 and id = any($4::uuid[]))
    update timeseries.item set record_ids = (
      select array_agg(distinct case when id = any($4::uuid[]) then $5::uuid else id end)
      from unnest(record_ids) id)
    where user_id = $1 and provider = $2 and data_type = $3 and record_ids && $4::uuid[]`,
};

const dropped = {
  name: 'timeseries-delete-dropped-sleeps',
  text: `
    delete from timeseries.sleep_session
    where user_id = $1 and provider = $2 and key = $3 and id = any($4::uuid[]) and id <> all($5::uuid[])`,
};

/** Deletes sessions that are versions of the kept one. Stored items then refer to the kept one. */
export async function deleteMergedSleeps(
  transaction: Queryable,
  where: { userId: string; provider: string; dataType: string },
  ids: readonly string[],
  keptId: string,
): Promise<void> {
  if (ids.length === 0) return;
  await transaction.query(merged, [where.userId, where.provider, where.dataType, ids, keptId]);
}

/** Deletes sessions of an item's older version that its newer version lacks. */
export async function deleteDroppedSleeps(
  transaction: Queryable,
  where: { userId: string; provider: string; key: string },
  ids: readonly string[],
  keptIds: readonly string[],
): Promise<void> {
  await transaction.query(dropped, [where.userId, where.provider, where.key, ids, keptIds]);
}
