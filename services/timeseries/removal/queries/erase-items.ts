import type { Queryable } from '../../../../mixins/database.ts';

const most = 10_000;

/** Erases a part of a user's version ledger. Answers whether it was the last part. */
export async function eraseItems(transaction: Queryable, userId: string): Promise<boolean> {
  const rows = await transaction.query(
    `delete from timeseries.item where ctid = any(array(
       select ctid from timeseries.item where user_id = $1 limit $2)) and user_id = $1 returning 1`,
    [userId, most],
  );
  return rows.length < most;
}

/** The same of what came of one provider. Answers whether it was the last part. */
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
