import type { Queryable } from '../../../mixins/database.ts';
import type { WorkoutParts } from '../merge-workouts.ts';

/** When a stored workout was, under which id it is known, and what each data type told of it. */
export interface WorkoutSpanRow {
  id: string;
  start_ms: number;
  end_ms: number;
  parts: WorkoutParts;
}

const statement = {
  name: 'timeseries-select-workout-span',
  text: `
    select id, (extract(epoch from start_time) * 1000)::float8 as start_ms,
      (extract(epoch from end_time) * 1000)::float8 as end_ms, parts
    from timeseries.workout where user_id = $1 and provider = $2 and key = $3`,
};

/** The workout that a provider's key names, if it is stored. */
export async function selectWorkoutSpan(
  transaction: Queryable,
  userId: string,
  provider: string,
  key: string,
): Promise<WorkoutSpanRow | undefined> {
  const [row] = await transaction.query<WorkoutSpanRow>(statement, [userId, provider, key]);
  return row;
}
