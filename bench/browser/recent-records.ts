import type pg from 'pg';

// The page of a user lists the sleep and the workouts of the last months, so these are dated by today.
const nights = `
  insert into timeseries.sleep_session (id, user_id, provider, key, device, start_time, end_time, zone_offset_minutes, date,
    is_nap, rank, asleep_seconds, deep_seconds, light_seconds, rem_seconds, awake_seconds, stage_intervals)
  select gen_random_uuid(), $1, 'devicemaker', $2 || n, 'Bench 1', woke - interval '8 hours', woke, 0,
    (woke at time zone 'UTC')::date, false, 2, 27000, 6000, 15000, 6000, 1800,
    (select jsonb_agg(jsonb_build_array((array['light', 'deep', 'rem', 'awake'])[1 + i % 4], i * 600, (i + 1) * 600))
     from generate_series(0, 47) i)
  from generate_series(0, 29) n
  cross join lateral (select date_trunc('day', now(), 'UTC') - n * interval '1 day' + interval '7 hours' as woke) w`;

const workouts = `
  insert into timeseries.workout (id, user_id, provider, key, device, type, raw_type, name, start_time, end_time,
    zone_offset_minutes, local_date, duration_seconds, moving_seconds, calories_kcal, distance_meters,
    avg_heart_rate_bpm, max_heart_rate_bpm, avg_pace_sec_per_km, is_parent)
  select gen_random_uuid(), $1, 'devicemaker', $2 || n, 'Bench 1', 'running', 'RUNNING', 'Run',
    start_time, start_time + interval '40 minutes', 0, (start_time at time zone 'UTC')::date,
    2400, 2340, 420, 7600, 148, 171, 308, false
  from generate_series(0, 29) n
  cross join lateral (select date_trunc('day', now(), 'UTC') - n * interval '3 days' - interval '6 hours' as start_time) w`;

const mark = 'bench-browser-';

/** Inserts 30 nights with their stages and 30 workouts of one user, up to today. They take the place of earlier ones. */
export async function insertRecentRecords(pool: pg.Pool, userId: string): Promise<void> {
  await removeRecentRecords(pool, userId);
  await pool.query(nights, [userId, mark]);
  await pool.query(workouts, [userId, mark]);
}

/** Removes what `insertRecentRecords` has inserted. */
export async function removeRecentRecords(pool: pg.Pool, userId: string): Promise<void> {
  for (const table of ['sleep_session', 'workout'])
    await pool.query(`delete from timeseries.${table} where user_id = $1 and starts_with(key, $2)`, [
      userId,
      mark,
    ]);
}
