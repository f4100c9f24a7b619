import type { Database, Queryable } from '../../../mixins/database/database.ts';

/** What the provider's data of a user consists of, beside what `timeseries` stores. */
const ofData = [
  // First: who writes rows of the user holds it, and has committed after this.
  'fence',
  'phase',
  'night',
  'reopened',
  'sample_block',
  'deleted',
  'unmapped',
  'receipt',
  'first_sync',
  'sync_type',
];

/** Deletes what is kept of a user's uploads. */
export async function deleteUploads(database: Database, userId: string): Promise<void> {
  await database.transaction((transaction) => deleteFrom(transaction, ofData, userId));
}

/** Deletes everything that is kept of a user. */
export async function deleteUser(database: Database, userId: string): Promise<void> {
  await database.transaction((transaction) =>
    deleteFrom(transaction, [...ofData, 'invitation_code'], userId),
  );
}

async function deleteFrom(transaction: Queryable, tables: readonly string[], userId: string): Promise<void> {
  for (const table of tables)
    await transaction.query(`delete from phone.${table} where user_id = $1`, [userId]);
}
