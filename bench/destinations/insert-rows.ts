import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { seriesOf } from '../../domain/records/series.ts';

const samples = (type: number, everySeconds: number, time: string, value: string) => `
  insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
  select id, 60, ${time}, ${value} from (
    select s.id, at, hashint8(extract(epoch from at)::bigint * 7919 + s.id) as h
    from timeseries.series s cross join generate_series(current_date - $1::int, current_date - interval '1 second',
      interval '${everySeconds} seconds') at where s.type_id = ${type}) s`;

/** Inserts users with samples of some days, without changes. Returns the number of samples. */
export async function insertRows(pool: pg.Pool, wearers: number, days: number): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query("begin; set local changes.unrecorded = 'on'; set local statement_timeout = '20min'");
    const rows = await insertInto(client, wearers, days);
    await client.query('commit');
    return rows;
  } finally {
    client.release();
    await pool.query('analyze');
  }
}

async function insertInto(client: pg.PoolClient, wearers: number, days: number): Promise<number> {
  const ids = Array.from({ length: wearers }, () => randomUUID());
  const [heart, steps] = [seriesOf('heart_rate').id, seriesOf('steps').id];
  await client.query('insert into users.person (id, created_at) select unnest($1::uuid[]), now()', [ids]);
  await client.query(
    `insert into timeseries.series (user_id, type_id, provider, device)
     select u, t, 'devicemaker', 'Watch 7' from unnest($1::uuid[]) u cross join unnest($2::int[]) t`,
    [ids, [heart, steps]],
  );
  const jitter = "at + case when id % 4 < 2 then (h & 3) * interval '1 second' else interval '0' end";
  const wave = '70 + round(20 * sin(extract(epoch from at) / 2000 + id)) + (h >> 8 & 7)';
  const hearts = await client.query(samples(heart, 5, jitter, wave), [days]);
  const minutes = await client.query(samples(steps, 60, 'at', 'h & 127'), [days]);
  return (hearts.rowCount ?? 0) + (minutes.rowCount ?? 0);
}
