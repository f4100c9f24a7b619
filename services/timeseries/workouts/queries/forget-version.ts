import type { Queryable } from '../../../../mixins/database/database.ts';

const statement = {
  name: 'timeseries-forget-version',
  text: `
    update timeseries.item set hash = null, pending_hash = null
    where user_id = $1 and provider = $2 and data_type = $3 and key = $4`,
};

/** Deletes the stored version of an item, so that the same content is stored again. */
export async function forgetVersion(
  transaction: Queryable,
  userId: string,
  provider: string,
  dataType: string,
  key: string,
): Promise<void> {
  await transaction.query(statement, [userId, provider, dataType, key]);
}
