import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { deleteInBatches } from '../../../mixins/database/delete-in-batches.ts';

const size = 1000;
const most = 100;
const codes = `
delete from phone.invitation_code where hash = any(array(
  select hash from phone.invitation_code where expires_at < now() - interval '1 day' order by expires_at limit ${size}))
returning 1`;
/** A delivery is kept, and may be replayed, for fewer days than its receipt. */
const receipts = `
delete from phone.receipt where delivery_id = any(array(
  select delivery_id from phone.receipt where created_at < now() - make_interval(days => $1) order by created_at
  limit ${size}))
returning 1`;

/** Deletes codes that expired more than a day ago, and receipts of deliveries that are not kept. */
export async function deleteExpired(
  database: Queryable,
  keptDays: number,
  signal: AbortSignal,
): Promise<void> {
  await deleteInBatches(async () => (await database.query(codes)).length, { size, most, signal });
  await deleteInBatches(async () => (await database.query(receipts, [keptDays])).length, {
    size,
    most,
    signal,
  });
}

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
