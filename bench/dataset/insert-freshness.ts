import type pg from 'pg';

/** Kinds of data of a connection. */
export const kindsEach = 3;
/** Of so many connections one is stale, and one is late. */
export const oneOf = 10;

/** Inserts connections of users, one each, with the states of their kinds of data. No row is due. */
export async function insertFreshness(pool: pg.Pool, connections: number): Promise<void> {
  await pool.query(
    `insert into freshness.connection (connection_id, user_id, project_id, provider, connected_at)
     select gen_random_uuid(), gen_random_uuid(), 'default', (array['oura', 'whoop', 'polar', 'suunto'])[1 + n % 4],
       now() - interval '90 days'
     from generate_series(1, $1::int) n`,
    [connections],
  );
  await pool.query(
    `insert into freshness.arrival (connection_id, kind, user_id, project_id, provider, arrivals, last_at, last_data_at,
       gaps, state, expected_ms)
     select c.connection_id, k.kind, c.user_id, c.project_id, c.provider, 200, now() - interval '9 hours',
       now() - interval '10 hours', array_fill(700, array[27]),
       case c.number % $2 when 0 then 'stale' when 1 then 'late' else 'fresh' end, 129600000
     from (select *, row_number() over () as number from freshness.connection) c
     cross join unnest(array['sleep', 'heart_rate', 'daily_activity']) k (kind) limit $1::int`,
    [connections * kindsEach, oneOf],
  );
  await pool.query('analyze freshness.connection, freshness.arrival');
}
