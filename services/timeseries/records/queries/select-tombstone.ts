import type { Queryable } from '../../../../mixins/database.ts';

const statement = {
  name: 'timeseries-select-tombstone',
  text: `
    select from timeseries.tombstone where user_id = $1
    union all select from timeseries.purge where user_id = $1 and provider = $2 and closed`,
};

/**
 * Whether a user was erased, or what they had of a provider. Asked under the user's lock, or a store in flight would
 * outlive the erasure.
 */
export async function isErased(transaction: Queryable, userId: string, provider: string): Promise<boolean> {
  return (await transaction.query(statement, [userId, provider])).length > 0;
}
