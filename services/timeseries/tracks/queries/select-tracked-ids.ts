import type { Queryable } from '../../../../mixins/database/database.ts';

const statement = {
  name: 'timeseries-select-tracked-ids',
  text: `
    select d.workout_id as id from timeseries.workout_detail d
    join timeseries.workout w on w.id = d.workout_id
    where w.user_id = $1 and d.user_id = $1 and w.deleted_at is null and d.track_hash is not null
      and ($2::uuid is null or d.workout_id > $2) and w.start_time >= to_timestamp($3::float8 / 1000)
    order by d.workout_id limit $4`,
};

/** The next workouts of a user with a track, after an id. */
export async function selectTrackedIds(
  database: Queryable,
  {
    user_id,
    after,
    since_ms,
    limit,
  }: { user_id: string; after: string | null; since_ms: number; limit: number },
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(statement, [user_id, after, since_ms, limit]);
  return rows.map(({ id }) => id);
}
