import type pg from 'pg';

/** Empties the queue of fetches, including dead letters, and adds a number of them, as events do. */
export async function fillQueue(pool: pg.Pool, count: number): Promise<void> {
  await pool.query('truncate activitynet.activity');
  await pool.query(
    `insert into activitynet.activity (user_id, object_id, connection_id, create_time, work, turn)
     select user_id, n, id, n, 'fetch', n from users.connection, generate_series(1, $1) n
     where provider = 'activitynet'`,
    [count],
  );
}

/** The number of waiting fetches, and of those that are being processed. */
export async function countWaiting(pool: pg.Pool): Promise<{ waiting: number; held: number }> {
  const { rows } = await pool.query<{ waiting: number; held: number }>(
    `select count(*)::int as waiting, (count(*) filter (where leased))::int as held
     from activitynet.activity where work is not null`,
  );
  return rows[0] ?? { waiting: 0, held: 0 };
}
