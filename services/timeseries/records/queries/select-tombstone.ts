import type { Queryable } from '../../../../mixins/database/database.ts';

const statement = {
  name: 'timeseries-select-tombstone',
  text: `
    select from timeseries.tombstone where user_id = $1
    union all select from timeseries.purge where user_id = $1 and provider = $2 and closed`,
};

/**
 * Whether a user was erased, or the user's data of a provider was purged. Must be read under the user's lock. Otherwise
 * a running store could write after the erasure.
 */
export async function isErased(transaction: Queryable, userId: string, provider: string): Promise<boolean> {
  return (await transaction.query(statement, [userId, provider])).length > 0;
}
