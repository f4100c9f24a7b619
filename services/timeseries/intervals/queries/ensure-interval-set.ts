import type { Queryable } from '../../../../mixins/database/database.ts';

const select = {
  name: 'timeseries-select-interval-set',
  text: 'select id from timeseries.interval_set where user_id = $1 and provider = $2',
};

const insert = {
  name: 'timeseries-insert-interval-set',
  text: 'insert into timeseries.interval_set (user_id, provider, ranked_by) values ($1, $2, $3) returning id',
};

/** The set of a user's intervals from a provider, or undefined. */
export async function selectIntervalSet(
  transaction: Queryable,
  userId: string,
  provider: string,
): Promise<number | undefined> {
  const [row] = await transaction.query<{ id: number }>(select, [userId, provider]);
  return row?.id;
}

/** The set of a user's intervals from a provider. It is inserted if it is missing. The caller holds the user's lock. */
export async function ensureIntervalSet(
  transaction: Queryable,
  userId: string,
  provider: string,
  rankedBy: string,
): Promise<number> {
  const known = await selectIntervalSet(transaction, userId, provider);
  if (known !== undefined) return known;
  const [row] = await transaction.query<{ id: number }>(insert, [userId, provider, rankedBy]);
  if (row === undefined) throw new Error('the set was inserted');
  return row.id;
}
