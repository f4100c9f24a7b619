import type { Queryable } from '../../../mixins/database/database.ts';

/** Deletes the backfills of a user with their steps and receipts; returns their number. */
export async function deleteRuns(database: Queryable, userId: string): Promise<number> {
  return (await database.query('delete from backfill.run where user_id = $1 returning id', [userId])).length;
}
