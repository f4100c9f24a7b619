import type { Database, Queryable } from '../../../../mixins/database/database.ts';

interface ChunkRow {
  name: string;
  first: string;
  beyond: string;
}

// Chunks that end before the border. Without TimescaleDB samples are one table and there are none.
const chunks = `
  select format('%I.%I', chunk_schema, chunk_name) as name, range_start::text as first, range_end::text as beyond
  from timescaledb_information.chunks
  where hypertable_schema = 'timeseries' and hypertable_name = 'sample'
    and range_end <= $1::timestamptz - interval '18 hours'
  order by range_start`;

/**
 * Drops chunks without samples to free their disk space. Returns the number, and whether some remain because they are
 * in use or still contain dead rows.
 */
export async function dropEmptyChunks(
  database: Database,
  keptFrom: string,
): Promise<{ dropped: number; left: number }> {
  const [timescale] = await database.query("select from pg_extension where extname = 'timescaledb'");
  if (timescale === undefined) return { dropped: 0, left: 0 };
  const rows = await database.query<ChunkRow>(chunks, [`${keptFrom}T00:00:00Z`]);
  let dropped = 0;
  for (const row of rows) if (await dropIfEmpty(database, row)) dropped += 1;
  return { dropped, left: rows.length - dropped };
}

// Waits only briefly for the lock, because other readers and writers of the chunk would queue behind it.
const patience =
  "select set_config('lock_timeout', '200ms', true), set_config('statement_timeout', '2s', true)";
const givenUp = new Set(['55P03', '57014', '40P01']);

async function dropIfEmpty(database: Database, row: ChunkRow): Promise<boolean> {
  try {
    return await database.transaction((transaction) => dropLocked(transaction, row));
  } catch (error) {
    if (givenUp.has(String(Reflect.get(Object(error), 'code')))) return false;
    throw error;
  }
}

async function dropLocked(transaction: Queryable, { name, first, beyond }: ChunkRow): Promise<boolean> {
  await transaction.query(patience);
  await transaction.query(`lock table ${name} in access exclusive mode`);
  if ((await transaction.query(`select from ${name} limit 1`)).length > 0) return false;
  await transaction.query('select timeseries.drop_chunks($1, $2)', [first, beyond]);
  return true;
}
