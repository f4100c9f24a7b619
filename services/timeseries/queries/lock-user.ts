import type { Queryable } from '../../../mixins/database.ts';

const lock = {
  name: 'timeseries-lock-user',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 7357))',
};

/**
 * Waits for the user's turn and holds it to the end of the transaction. Taken first by all who write: statistics,
 * versions, merging and erasing are exact under concurrent writers only so (without it statistics drift), and one
 * lock a user cannot deadlock as a lock a series over several statements can.
 */
export async function lockUser(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(lock, [userId]);
}
