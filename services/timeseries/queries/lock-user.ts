import type { Queryable } from '../../../mixins/database.ts';

const lock = {
  name: 'timeseries-lock-user',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 7357))',
};

/**
 * Takes the user's lock and holds it until the end of the transaction. Every writer takes it first. Without it,
 * statistics, versions, merging and erasure are not exact under concurrent writers. One lock per user cannot deadlock,
 * unlike locks per series that several statements take.
 */
export async function lockUser(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(lock, [userId]);
}
