import type { SampleBytes } from '../../../contracts/timeseries/sample-bytes.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';

/** A chunk that compression is about: its quoted name, and whether it is compressed. */
export interface ChunkRow {
  readonly name: string;
  readonly is_compressed: boolean;
}

const oldChunksStatement = `
  select format('%I.%I', chunk_schema, chunk_name) as name, is_compressed
  from timescaledb_information.chunks
  where hypertable_schema = 'timeseries' and hypertable_name = 'sample' and range_end <= now() - $1 * interval '1 day'
  order by range_start`;

/** The chunks that ended more than `days` ago, oldest first. */
export function selectOldChunks(database: Queryable, days: number): Promise<ChunkRow[]> {
  return database.query<ChunkRow>(oldChunksStatement, [days]);
}

/** Whether a compressed chunk has rows that are not compressed. ONLY leaves out the compressed ones. */
export async function hasPlainRows(database: Queryable, { name }: ChunkRow): Promise<boolean> {
  return (await database.query(`select from only ${name} limit 1`)).length > 0;
}

/** Whether the server has the edition of TimescaleDB that compresses. */
export async function canCompress(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ license: string | null }>(
    "select current_setting('timescaledb.license', true) as license",
  );
  return row?.license === 'timescale';
}

// While a statement waits for its lock, all later readers and writers wait too, so the wait is short. The work itself is not
// bounded: it depends on the size of the chunk.
const timeouts = "select set_config('lock_timeout', '2s', true), set_config('statement_timeout', '0', true)";

/** Lets the table be compressed. Returns at once if it may be already. */
export function enableCompression(database: Database): Promise<void> {
  return database.transaction(async (transaction) => {
    await transaction.query(timeouts);
    await transaction.query('select timeseries.enable_compression()');
  });
}

/** Compresses a chunk, or its rows that are not compressed. Writers of the chunk wait. */
export function compressChunk(database: Database, { name }: ChunkRow): Promise<void> {
  return database.transaction(async (transaction) => {
    await transaction.query(timeouts);
    await transaction.query('select timeseries.compress_chunk($1::regclass)', [name]);
  });
}

/** Frees the space of rows that were compressed. Indexes are rebuilt, because an emptied index keeps its pages. */
export async function vacuumChunk(database: Database, { name }: ChunkRow): Promise<void> {
  await database.query(`vacuum ${name}`);
  await database.transaction(async (transaction) => {
    await transaction.query(timeouts);
    await transaction.query(`reindex table ${name}`);
  });
}

// The catalogue is the same in both editions of TimescaleDB. A compressed chunk keeps its rows in a table of their own.
const bytesStatement = `
  select coalesce(sum(pg_total_relation_size(format('%I.%I', c.schema_name, c.table_name)::regclass)), 0)::float8 as plain_bytes,
    coalesce(sum(case when z.id is not null then
      pg_total_relation_size(format('%I.%I', z.schema_name, z.table_name)::regclass) end), 0)::float8 as compressed_bytes,
    count(*)::int as chunks, count(z.id)::int as compressed_chunks
  from _timescaledb_catalog.hypertable h
  join _timescaledb_catalog.chunk c on c.hypertable_id = h.id and not c.dropped
  left join _timescaledb_catalog.chunk z on z.id = c.compressed_chunk_id
  where h.schema_name = 'timeseries' and h.table_name = 'sample'`;

const plainTable = `
  select pg_total_relation_size('timeseries.sample')::float8 as plain_bytes, 0::float8 as compressed_bytes,
    0 as chunks, 0 as compressed_chunks`;

/** The space of samples on disk. Without TimescaleDB, that of one table. */
export async function selectSampleBytes(database: Queryable): Promise<SampleBytes> {
  const [catalogue] = await database.query<{ exists: boolean }>(
    "select to_regclass('_timescaledb_catalog.chunk') is not null as exists",
  );
  const [row] = await database.query<SampleBytes>(catalogue?.exists === true ? bytesStatement : plainTable);
  return row ?? { plain_bytes: 0, compressed_bytes: 0, chunks: 0, compressed_chunks: 0 };
}

interface ExpiredChunk {
  name: string;
  first: string;
  beyond: string;
}

// Chunks that end before the border. Without TimescaleDB samples are one table and there are none.
const expiredChunksStatement = `
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
  const rows = await database.query<ExpiredChunk>(expiredChunksStatement, [`${keptFrom}T00:00:00Z`]);
  let dropped = 0;
  for (const row of rows) if (await dropIfEmpty(database, row)) dropped += 1;
  return { dropped, left: rows.length - dropped };
}

// Waits only briefly for the lock, because other readers and writers of the chunk would queue behind it.
const dropTimeouts =
  "select set_config('lock_timeout', '200ms', true), set_config('statement_timeout', '2s', true)";
// lock_not_available, query_canceled, deadlock_detected.
const lockErrors = new Set(['55P03', '57014', '40P01']);

async function dropIfEmpty(database: Database, row: ExpiredChunk): Promise<boolean> {
  try {
    return await database.transaction((transaction) => dropLocked(transaction, row));
  } catch (error) {
    if (lockErrors.has(String(Reflect.get(Object(error), 'code')))) return false;
    throw error;
  }
}

async function dropLocked(transaction: Queryable, { name, first, beyond }: ExpiredChunk): Promise<boolean> {
  await transaction.query(dropTimeouts);
  await transaction.query(`lock table ${name} in access exclusive mode`);
  if ((await transaction.query(`select from ${name} limit 1`)).length > 0) return false;
  await transaction.query('select timeseries.drop_chunks($1, $2)', [first, beyond]);
  return true;
}
