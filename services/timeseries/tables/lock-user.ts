import type { Queryable } from '../../../mixins/database/database.ts';

/** The key of a user's lock in SQL. `userId` is an expression of type text. */
export const userLockKey = (userId: string) => `hashtextextended(${userId}, 7357)`;

const lock = {
  name: 'timeseries-lock-user',
  text: `select pg_advisory_xact_lock(${userLockKey('$1')})`,
};

/**
 * Takes the user's lock and holds it until the end of the transaction. Every writer takes it first. Without it,
 * statistics, versions, merging and erasure are not exact under concurrent writers. One lock per user cannot deadlock,
 * unlike locks per series that several statements take.
 */
export async function lockUser(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(lock, [userId]);
}
