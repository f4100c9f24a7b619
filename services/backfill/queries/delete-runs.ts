import type { Queryable } from '../../../mixins/database.ts';

/** Deletes the backfills of a user with all that hangs on them; returns how many there were. */
export async function deleteRuns(database: Queryable, userId: string): Promise<number> {
  return (await database.query('delete from backfill.run where user_id = $1 returning id', [userId])).length;
}
