import type pg from 'pg';
import { isoTime } from '../../domain/time/time.ts';
import { source } from './insert-samples.ts';
import { type Plan, seed, startMs } from './plan.ts';

const days = `
  insert into timeseries.provider_day (id, user_id, provider, key, device, date, start_time, zone_offset_minutes,
    duration_seconds, steps, distance_meters, floors_climbed, active_seconds, moderate_seconds, vigorous_seconds,
    active_calories_kcal, basal_calories_kcal, avg_heart_rate_bpm, min_heart_rate_bpm, max_heart_rate_bpm)
  select gen_random_uuid(), $1, $2, extract(epoch from day)::bigint::text, $3, (day at time zone 'UTC')::date,
    day - interval '345 minutes', 345, 86400, 4000 + h % 9000, (4000 + h % 9000) * 0.71, h % 23,
    5400 + h % 3600, 600 + h % 1800, h % 900, 300 + h % 700, 1650, 62 + h % 20, 48, 140 + h % 30
  from (
    select day, hashint8extended(extract(epoch from day)::bigint, ${seed}) & 65535 as h
    from generate_series($4::timestamptz, $5::timestamptz - interval '1 day', interval '1 day') day
  ) d`;

const workouts = `
  insert into timeseries.workout (id, user_id, provider, key, device, type, raw_type, name, start_time, end_time,
    zone_offset_minutes, local_date, duration_seconds, moving_seconds, calories_kcal, distance_meters,
    avg_heart_rate_bpm, max_heart_rate_bpm, elevation_gain_meters, is_parent)
  select gen_random_uuid(), $1, $2, extract(epoch from start_time)::bigint::text, $3, 'running', 'RUNNING', 'Run',
    start_time, start_time + interval '40 minutes', 345, ((start_time + interval '345 minutes') at time zone 'UTC')::date,
    2400, 2340, 420, 7600, 148, 171, 35, false
  from generate_series($4::timestamptz + interval '6 hours', $5::timestamptz - interval '1 hour', interval '56 hours') start_time`;

const nights = `
  insert into timeseries.sleep_session (id, user_id, provider, key, device, start_time, end_time, zone_offset_minutes,
    date, is_nap, rank, asleep_seconds, deep_seconds, light_seconds, rem_seconds, awake_seconds)
  select gen_random_uuid(), $1, $2, extract(epoch from day)::bigint::text, $3, bed, bed + interval '470 minutes', 0,
    (day at time zone 'UTC')::date, false, 1, 25000 + h % 900, 5400, 14200 + h % 900, 5400, 1800 + h % 1400
  from (
    select day, h, day - make_interval(mins => 100 + (h % 100)::int, secs => (h % 60)::int) as bed
    from (
      select day, hashint8extended(extract(epoch from day)::bigint, ${seed}) & 65535 as h
      from generate_series($4::timestamptz + interval '1 day', $5::timestamptz - interval '1 day', interval '1 day') day
    ) d
  ) n
  where not exists (select from timeseries.sleep_session where user_id = $1)`;

// The same in each data set, for the answers of two commits are compared.
const connections = `
  insert into users.connection (id, user_id, provider, provider_user_id, status, scope, created_at,
    updated_at, connected_at)
  select md5($1::text || provider)::uuid, $1::uuid, provider, 'bench', 'revoked', '{read}', $2::timestamptz, $2, $2
  from unnest(array['devicemaker', 'activitynet']) provider
  on conflict (user_id, provider) do nothing`;

const parametersOf = (userId: string, { endMs }: Plan) => [
  userId,
  source.provider,
  source.device,
  isoTime(startMs),
  isoTime(endMs),
];

/** Inserts a provider's totals of each day for one user, and three workouts per week. */
export async function insertDays(pool: pg.Pool, plan: Plan): Promise<void> {
  for (const statement of [days, workouts]) await pool.query(statement, parametersOf(plan.totalsId, plan));
}

/** Inserts a night before each day and two connections for one user, unless the data set has them. */
export async function insertNights(pool: pg.Pool, plan: Plan): Promise<void> {
  await pool.query(nights, parametersOf(plan.minuteId, plan));
  await pool.query(connections, [plan.minuteId, isoTime(startMs)]);
  await pool.query('analyze timeseries.sleep_session');
}
