import type { Queryable } from '../../../../mixins/database/database.ts';

const statement = {
  name: 'timeseries-update-duplicates',
  text: `
    update timeseries.workout w
    set duplicate_of = t.duplicate_of, counted_with = t.counted_with, counted_on = t.counted_on
    from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::date[]) t (id, duplicate_of, counted_with, counted_on)
    where w.user_id = $1 and w.id = t.id`,
};

/** The listed duplicate of a workout, and how the workout counts in the sums of a day. */
export interface DuplicateChange {
  readonly id: string;
  readonly duplicate_of: string | null;
  readonly counted_with: string | null;
  readonly counted_on: string | null;
}

/** Writes which workouts are listed and how they count. */
export async function updateDuplicates(
  transaction: Queryable,
  userId: string,
  changes: readonly DuplicateChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const column = (name: keyof DuplicateChange) => changes.map((change) => change[name]);
  const columns = [column('id'), column('duplicate_of'), column('counted_with'), column('counted_on')];
  await transaction.query(statement, [userId, ...columns]);
}
