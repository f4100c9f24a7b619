import type { Queryable } from '../../../../mixins/database/database.ts';

const most = 10_000;

/** Deletes a part of a user's stored item versions. Returns whether it was the last part. */
export async function eraseItems(transaction: Queryable, userId: string): Promise<boolean> {
  const rows = await transaction.query(
    `delete from timeseries.item where ctid = any(array(
       select ctid from timeseries.item where user_id = $1 limit $2)) and user_id = $1 returning 1`,
    [userId, most],
  );
  return rows.length < most;
}

/** As `eraseItems`, for the items of one provider. */
export async function eraseProviderItems(
  transaction: Queryable,
  userId: string,
  provider: string,
): Promise<boolean> {
  const rows = await transaction.query(
    `delete from timeseries.item where ctid = any(array(
       select ctid from timeseries.item where user_id = $1 and provider = $2 limit $3))
       and user_id = $1 and provider = $2 returning 1`,
    [userId, provider, most],
  );
  return rows.length < most;
}
