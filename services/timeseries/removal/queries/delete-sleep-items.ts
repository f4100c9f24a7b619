import type { Queryable } from '../../../../mixins/database/database.ts';

const statement = {
  name: 'timeseries-delete-sleep-items',
  text: `
    with gone as (
      delete from timeseries.sleep_session where user_id = $1 and provider = $2 and key = any($3::text[]) returning key
    ), forgotten as (
      delete from timeseries.item where user_id = $1 and provider = $2 and data_type = 'sleep' and key = any($3::text[])
    )
    select count(*)::int as n from gone`,
};

/** Deletes the sleep sessions of items with their versions. Returns the number of sessions. */
export async function deleteSleepItems(
  transaction: Queryable,
  userId: string,
  provider: string,
  keys: readonly string[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const [row] = await transaction.query<{ n: number }>(statement, [userId, provider, keys]);
  return row?.n ?? 0;
}
