import type { Queryable } from '../../../mixins/database.ts';

const statement = {
  name: 'timeseries-select-tombstone',
  text: 'select from timeseries.tombstone where user_id = $1',
};

/** Whether a user was erased. Asked under the user's lock, or a store in flight would outlive the erasure. */
export async function isErased(transaction: Queryable, userId: string): Promise<boolean> {
  return (await transaction.query(statement, [userId])).length > 0;
}
