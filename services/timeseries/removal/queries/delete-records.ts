import type { Queryable } from '../../../../mixins/database/database.ts';

/** Deletes a user's records of one provider. Returns the time spans of its workouts. */
export async function deleteRecords(
  transaction: Queryable,
  userId: string,
  provider: string,
): Promise<{ start_ms: number; end_ms: number }[]> {
  for (const table of [
    'night_mean',
    'sleep_session',
    'provider_day',
    'day_value',
    'score',
    'epoch_part',
    'other_record',
    'interval_set',
    'placed_span',
  ])
    await transaction.query(`delete from timeseries.${table} where user_id = $1 and provider = $2`, [
      userId,
      provider,
    ]);
  return transaction.query<{ start_ms: number; end_ms: number }>(
    `delete from timeseries.workout where user_id = $1 and provider = $2
     returning (extract(epoch from start_time) * 1000)::float8 as start_ms,
       (extract(epoch from end_time) * 1000)::float8 as end_ms`,
    [userId, provider],
  );
}
