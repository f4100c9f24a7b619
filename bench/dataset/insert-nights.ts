import type pg from 'pg';
import { source } from './insert-samples.ts';
import { type Plan, seed, startMs } from './plan.ts';

const nights = `
  insert into timeseries.sleep_session (id, user_id, provider, key, device, start_time, end_time, zone_offset_minutes,
    date, is_nap, rank, asleep_seconds, deep_seconds, light_seconds, rem_seconds, awake_seconds)
  select gen_random_uuid(), $1, $2, extract(epoch from day)::bigint::text, $3, bed, bed + interval '470 minutes', 0,
    (day at time zone 'UTC')::date, false, 1, 25000 + h % 900, 5400, 14200 + h % 900, 5400, 1800 + h % 1400
  from (
    select day, h, day - make_interval(mins => 100 + (h % 100)::int, secs => (h % 60)::int) as bed
    from (
      select day, hashint8extended(extract(epoch from day)::bigint, $4) & 65535 as h
      from generate_series($5::timestamptz + interval '1 day', $6::timestamptz - interval '1 day', interval '1 day') day
    ) d
  ) n
  where not exists (select from timeseries.sleep_session where user_id = $1)`;

const connections = `
  insert into users.connection (user_id, provider, provider_user_id, status, scope)
  select $1, provider, 'bench', 'revoked', '{read}' from unnest(array['devicemaker', 'activitynet']) provider
  on conflict (user_id, provider) do nothing`;

/** Inserts a night before each day and two connections for one user, unless the data set has them. */
export async function insertNights(pool: pg.Pool, plan: Plan): Promise<void> {
  const span = [new Date(startMs).toISOString(), new Date(plan.endMs).toISOString()];
  await pool.query(nights, [plan.minuteId, source.provider, source.device, seed, ...span]);
  await pool.query(connections, [plan.minuteId]);
  await pool.query('analyze timeseries.sleep_session');
}
