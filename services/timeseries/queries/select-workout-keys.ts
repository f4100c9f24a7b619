import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** A span of the workouts of one user and provider, and the maximum number of them. */
export interface WorkoutSpan {
  readonly user_id: string;
  readonly provider: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly limit: number;
}

const statement: Statement = {
  name: 'timeseries-select-workout-keys',
  text: `
    select key, (extract(epoch from start_time) * 1000)::float8 as start_ms from timeseries.workout
    where user_id = $1 and provider = $2 and deleted_at is null
      and start_time >= to_timestamp($3::float8 / 1000) and start_time < to_timestamp($4::float8 / 1000)
    order by start_time, id limit $5`,
};

/** The keys of the workouts that start in a span, oldest first. Duplicates of other providers' workouts are included. */
export function selectWorkoutKeys(
  database: Queryable,
  { user_id, provider, start_ms, end_ms, limit }: WorkoutSpan,
): Promise<{ key: string; start_ms: number }[]> {
  return database.query(statement, [user_id, provider, start_ms, end_ms, limit]);
}
