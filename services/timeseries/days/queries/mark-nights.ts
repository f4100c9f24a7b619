import type { Queryable } from '../../../../mixins/database/database.ts';

const next = {
  name: 'timeseries-select-next-sleeper',
  text: `
    select user_id from timeseries.sleep_session where $1::uuid is null or user_id > $1 order by user_id limit 1`,
};

const mark = {
  name: 'timeseries-mark-nights',
  text: `
    insert into timeseries.night_mean (user_id, date, provider)
    select distinct user_id, date, provider from timeseries.sleep_session where user_id = $1 and not is_nap
    on conflict do nothing`,
};

/** The next user after one, or the first, who has sleep sessions. */
export async function selectNextSleeper(
  transaction: Queryable,
  after: string | null,
): Promise<string | undefined> {
  const [row] = await transaction.query<{ user_id: string }>(next, [after]);
  return row?.user_id;
}

/** Marks the nights of a user that have no row as stale. The caller holds the user's lock. */
export async function markNights(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(mark, [userId]);
}
