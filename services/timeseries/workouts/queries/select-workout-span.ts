import type { Queryable } from '../../../../mixins/database/database.ts';
import type { WorkoutParts } from '../merge-workouts.ts';

/** The span and the id of a stored workout, and its fields by data type. */
export interface WorkoutSpanRow {
  id: string;
  start_ms: number;
  end_ms: number;
  parts: WorkoutParts;
  cropped: boolean;
}

const statement = {
  name: 'timeseries-select-workout-span',
  text: `
    select w.id, (extract(epoch from w.start_time) * 1000)::float8 as start_ms,
      (extract(epoch from w.end_time) * 1000)::float8 as end_ms, w.parts, w.cropped
    from timeseries.workout w where w.user_id = $1 and w.provider = $2 and w.key = $3`,
};

/** The stored workout of a provider's key. */
export async function selectWorkoutSpan(
  transaction: Queryable,
  userId: string,
  provider: string,
  key: string,
): Promise<WorkoutSpanRow | undefined> {
  const [row] = await transaction.query<WorkoutSpanRow>(statement, [userId, provider, key]);
  return row;
}
