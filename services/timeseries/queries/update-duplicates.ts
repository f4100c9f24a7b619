import type { Queryable } from '../../../mixins/database.ts';

const statement = {
  name: 'timeseries-update-duplicates',
  text: `
    update timeseries.workout w set duplicate_of = t.duplicate_of
    from unnest($2::uuid[], $3::uuid[]) t (id, duplicate_of)
    where w.user_id = $1 and w.id = t.id`,
};

/** Names the listed twin of workouts, or none. */
export async function updateDuplicates(
  transaction: Queryable,
  userId: string,
  changes: readonly { id: string; duplicate_of: string | null }[],
): Promise<void> {
  if (changes.length === 0) return;
  const values = [userId, changes.map(({ id }) => id), changes.map((change) => change.duplicate_of)];
  await transaction.query(statement, values);
}
