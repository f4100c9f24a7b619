import type pg from 'pg';
import { seriesOf } from '../../domain/records/series.ts';

/** What a wearer has of each day: only a night, day totals and a resting heart rate, or samples of all kinds too. */
export type Density = 'light' | 'full';

const noise = "hashint8extended(d.day::date - date '2000-01-01', hashtext(u.id::text)) & 1023";
const days = `unnest($1::uuid[]) u (id) cross join generate_series(current_date - $2::int, current_date - 1, interval '1 day') d (day)`;

const people = 'insert into users.person (id) select unnest($1::uuid[])';

/** The nights of users before the days, from the given number of days ago. */
const nights = `
  insert into timeseries.sleep_session (id, user_id, provider, key, device, start_time, end_time, zone_offset_minutes, date,
    is_nap, rank, asleep_seconds, deep_seconds, light_seconds, rem_seconds, awake_seconds, stage_intervals)
  select gen_random_uuid(), u.id, 'oura', d.day::date::text, 'Ring', bed, bed + interval '470 minutes', 60, d.day::date,
    false, 1, 27300, 5400, 15900, 6000, 900,
    '[["light",0,7200],["deep",7200,12600],["awake",12600,13500],["rem",13500,19500],["light",19500,28200]]'
  from ${days} cross join lateral (select d.day::date::timestamp at time zone 'UTC' - interval '2 hours'
    + make_interval(mins => (${noise})::int % 90) as bed) b`;

const totals = `
  insert into timeseries.provider_day (id, user_id, provider, key, device, date, start_time, zone_offset_minutes,
    duration_seconds, steps, active_seconds, moderate_seconds, vigorous_seconds)
  select gen_random_uuid(), u.id, 'oura', d.day::date::text, 'Ring', d.day::date, d.day, 60, 86400, 4000 + ${noise}, 5400,
    (${noise}) % 60 * 60, (${noise}) % 20 * 60
  from ${days}`;

const workouts = `
  insert into timeseries.workout (id, user_id, provider, key, device, type, raw_type, name, start_time, end_time,
    zone_offset_minutes, local_date, duration_seconds, distance_meters, is_parent)
  select gen_random_uuid(), u.id, 'oura', d.day::date::text, 'Ring', 'running', 'RUNNING', 'Run',
    d.day + interval '16 hours', d.day + interval '16 hours 50 minutes', 60, d.day::date, 3000, 8000, false
  from ${days} where (d.day::date - date '2000-01-01') % 2 = 0`;

const series = `
  insert into timeseries.series (user_id, type_id, provider, device)
  select id, type_id, 'oura', 'Ring' from unnest($1::uuid[]) id cross join unnest($2::int[]) type_id`;

/** Samples of a type: the distance between them, and from which hour of the day to which. */
const samples = (everySeconds: number, from: number, to: number, value: string, which = 'true') => `
  insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
  select s.id, 60, at, ${value} from unnest($1::uuid[]) u (id)
  join timeseries.series s on s.user_id = u.id and s.type_id = $3
  cross join generate_series(current_date - $2::int, current_date - 1, interval '1 day') d (day)
  cross join lateral generate_series(d.day + interval '${from} hours', d.day + interval '${to} hours' - interval '1 second',
    interval '${everySeconds} seconds') at
  where ${which}`;

const id = (type: Parameters<typeof seriesOf>[0]) => seriesOf(type).id;
const types = (['resting_heart_rate', 'heart_rate_variability_rmssd', 'heart_rate', 'steps'] as const).map(
  id,
);

/** Inserts users with data of so many days up to yesterday. The change log has nothing of it. */
export async function insertWearers(
  pool: pg.Pool,
  ids: readonly string[],
  count: number,
  density: Density,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query("set local changes.unrecorded = 'on'");
    await client.query("set local statement_timeout = '10min'");
    await client.query(people, [ids]);
    for (const statement of [nights, totals]) await client.query(statement, [ids, count]);
    await client.query(series, [ids, types]);
    const resting = samples(86_400, 7, 8, '48 + (hashint8(extract(epoch from at)::bigint) & 7)');
    await client.query(resting, [ids, count, id('resting_heart_rate')]);
    if (density === 'full') {
      await client.query(workouts, [ids, count]);
      const hash = 'hashint8(extract(epoch from at)::bigint)';
      const runs = `(d.day::date - date '2000-01-01') % 2 = 0`;
      await client.query(samples(300, -2, 6, `40 + (${hash} & 31)`), [
        ids,
        count,
        id('heart_rate_variability_rmssd'),
      ]);
      await client.query(samples(1, 16, 17, `120 + (${hash} & 31)`, runs), [ids, count, id('heart_rate')]);
      await client.query(samples(60, 6, 22, `${hash} & 127`), [ids, count, id('steps')]);
    }
    await client.query('commit');
  } finally {
    client.release();
  }
  await pool.query('analyze');
}

/** Stores another night of each user, of today, as it arrives in the morning. */
export async function insertLastNights(pool: pg.Pool, ids: readonly string[]): Promise<void> {
  await pool.query(
    nights.replace('current_date - $2::int, current_date - 1', 'current_date - $2::int, current_date'),
    [ids, 0],
  );
}
