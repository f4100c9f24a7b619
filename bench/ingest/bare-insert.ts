import type pg from 'pg';

const rowsPerStatement = 5000;

/** Creates a table like that of samples, with the same columns, chunks and index but without triggers. */
export async function makeBareTable(pool: pg.Pool): Promise<void> {
  await pool.query(`
    create schema bench;
    create table bench.sample (series_id int not null, zone_offset_minutes smallint not null, ts timestamptz not null, value float8 not null);
    create unique index bare_key on bench.sample (series_id, ts) with (fillfactor = 100);
    do $$ begin
      if exists (select from pg_extension where extname = 'timescaledb') then
        perform create_hypertable('bench.sample', by_range('ts', interval '30 days'), create_default_indexes => false);
      end if;
    end $$`);
}

/** A row as its columns: series, offset, time in ms, value. */
export type StoredRow = readonly [number, number, number, number];

/** The rows of the given users that were stored for a range, in the order of their key. */
export async function storedRows(
  pool: pg.Pool,
  userIds: readonly string[],
  fromMs: number,
  toMs: number,
): Promise<StoredRow[]> {
  const text = `
    select x.series_id, x.zone_offset_minutes, extract(epoch from x.ts)::float8 * 1000, x.value
    from timeseries.series s join timeseries.sample x on x.series_id = s.id and x.ts >= $2 and x.ts < $3
    where s.user_id = any($1) order by 1, 3`;
  const values = [userIds, new Date(fromMs), new Date(toMs)];
  return (await pool.query<[number, number, number, number]>({ rowMode: 'array', text, values })).rows;
}

const statement = {
  name: 'bench-bare-insert',
  text: `
    insert into bench.sample as s (series_id, zone_offset_minutes, ts, value)
    select series_id, zone_offset_minutes, to_timestamp(ms / 1000), value
    from unnest($1::int[], $2::smallint[], $3::float8[], $4::float8[]) t (series_id, zone_offset_minutes, ms, value)
    on conflict (series_id, ts) do update
      set value = excluded.value, zone_offset_minutes = excluded.zone_offset_minutes
      where (s.value, s.zone_offset_minutes) is distinct from (excluded.value, excluded.zone_offset_minutes)`,
};

/** Inserts rows with a plain statement over one connection; returns the time. */
export async function bareInsert(pool: pg.Pool, rows: readonly StoredRow[]): Promise<number> {
  const columns = ([0, 1, 2, 3] as const).map((at) => rows.map((row) => row[at]));
  const client = await pool.connect();
  const began = performance.now();
  try {
    for (let from = 0; from < rows.length; from += rowsPerStatement) {
      const values = columns.map((column) => `{${column.slice(from, from + rowsPerStatement).join(',')}}`);
      await client.query({ ...statement, values });
    }
  } finally {
    client.release();
  }
  return performance.now() - began;
}
