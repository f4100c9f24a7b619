import type { Queryable } from './database.ts';

/**
 * Rows of users that are written late must not outlive them. A writer takes a shared lock of its table and writes rows of users
 * who are not deleted (`users.live_of`). Whoever erases a user first waits for the writers that began before; those that begin
 * later see that the user is deleted. The numbers are arbitrary and fixed.
 */
const locks = { accesses: 7360, consents: 7361, freshness: 7362, insights: 7363 } as const;

/** A table whose rows are written with the lock. */
export type LateTable = keyof typeof locks;

/** Takes the lock of a writer until the end of the transaction. */
export async function lockLateWrites(transaction: Queryable, table: LateTable): Promise<void> {
  await transaction.query('select pg_advisory_xact_lock_shared($1)', [locks[table]]);
}

/** Waits until the writers that have the lock are done. */
export async function awaitLateWrites(database: Queryable, table: LateTable): Promise<void> {
  await database.query('select pg_advisory_xact_lock($1)', [locks[table]]);
}
