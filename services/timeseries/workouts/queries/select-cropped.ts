import type { Queryable } from '../../../../mixins/database/database.ts';
import type { WorkoutParts } from '../merge-workouts.ts';

/** An activity that was sent again with a shorter span. */
export interface CroppedRow {
  readonly id: string;
  readonly key: string;
  readonly parts: WorkoutParts;
}

const statement = {
  name: 'timeseries-select-cropped-workouts',
  text: `
    select id, key, parts from timeseries.workout
    where user_id = $1 and provider = $2 and key = any($3) and cropped`,
};

/** The cropped ones of the named activities. */
export function selectCropped(
  transaction: Queryable,
  userId: string,
  provider: string,
  keys: readonly string[],
): Promise<CroppedRow[]> {
  return transaction.query<CroppedRow>(statement, [userId, provider, keys]);
}

/** Replaces the fields of a workout by data type. */
export async function updateParts(
  transaction: Queryable,
  { user_id, id }: { readonly user_id: string; readonly id: string },
  parts: WorkoutParts,
): Promise<void> {
  const text = 'update timeseries.workout set parts = $3 where user_id = $1 and id = $2';
  await transaction.query(text, [user_id, id, JSON.stringify(parts)]);
}
