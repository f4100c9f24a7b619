import type { Queryable } from '../../../mixins/database.ts';

const statement = {
  name: 'timeseries-select-day-id',
  text: 'select id from timeseries.provider_day where user_id = $1 and provider = $2 and key = $3',
};

/** The id of the day that a provider's key names, if it is stored. */
export async function selectDayId(
  transaction: Queryable,
  userId: string,
  provider: string,
  key: string,
): Promise<string | undefined> {
  const [row] = await transaction.query<{ id: string }>(statement, [userId, provider, key]);
  return row?.id;
}
