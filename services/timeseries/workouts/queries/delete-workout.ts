import type { Queryable, Statement } from '../../../../mixins/database/database.ts';

/** A workout that is deleted. */
export interface WorkoutRow {
  readonly id: string;
  readonly device: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

const select: Statement = {
  name: 'timeseries-select-deletable-workout',
  text: `
    select id, device, (extract(epoch from start_time) * 1000)::float8 as start_ms,
      (extract(epoch from end_time) * 1000)::float8 as end_ms
    from timeseries.workout
    where user_id = $1 and provider = $2 and key = $3 and deleted_at is null`,
};

/** A workout that is stored and not deleted. */
export async function selectDeletable(
  transaction: Queryable,
  userId: string,
  provider: string,
  key: string,
): Promise<WorkoutRow | undefined> {
  const [row] = await transaction.query<WorkoutRow>(select, [userId, provider, key]);
  return row;
}

// The remaining row records the deletion and its time. An activity that returns gets the same id.
const wipe: Statement = {
  name: 'timeseries-wipe-workout',
  text: `
    update timeseries.workout
    set deleted_at = now(), cropped = false, duplicate_of = null, counted_with = null,
      counted_on = null, device = 'unknown', type = 'other', raw_type = '', name = '', start_time = now(), end_time = now(), zone_offset_minutes = 0,
      local_date = (now() at time zone 'UTC')::date, duration_seconds = 0, moving_seconds = null, calories_kcal = null,
      distance_meters = null, avg_heart_rate_bpm = null, max_heart_rate_bpm = null, avg_pace_sec_per_km = null,
      elevation_gain_meters = null, steps = null, manual = null, web_upload = null, private = null,
      is_parent = false, parent_id = null, parts = '{}'
    where user_id = $1 and id = $2`,
};

/** Marks a workout as deleted and clears its health data. */
export async function wipeWorkout(transaction: Queryable, userId: string, id: string): Promise<void> {
  await transaction.query(wipe, [userId, id]);
}

/** Deletes a workout's row. */
export async function removeWorkout(transaction: Queryable, userId: string, id: string): Promise<void> {
  await transaction.query('delete from timeseries.workout where user_id = $1 and id = $2', [userId, id]);
}

const forget: Statement = {
  name: 'timeseries-forget-versions',
  text: `
    update timeseries.item set hash = null, pending_hash = null
    where user_id = $1 and provider = $2 and data_type in ('activities', 'activityDetails') and key = $3`,
};

/** Deletes the stored versions of an activity, so that the next delivery is stored. */
export async function forgetVersions(
  on: Queryable,
  userId: string,
  provider: string,
  key: string,
): Promise<void> {
  await on.query(forget, [userId, provider, key]);
}
