import type { Database, Queryable } from '../../../../mixins/database/database.ts';

/** A chunk that compression is about: its quoted name, and whether it is compressed. */
export interface ChunkRow {
  readonly name: string;
  readonly is_compressed: boolean;
}

const select = `
  select format('%I.%I', chunk_schema, chunk_name) as name, is_compressed
  from timescaledb_information.chunks
  where hypertable_schema = 'timeseries' and hypertable_name = 'sample' and range_end <= now() - $1 * interval '1 day'
  order by range_start`;

/** The chunks that ended more than `days` ago, oldest first. */
export function selectOldChunks(database: Queryable, days: number): Promise<ChunkRow[]> {
  return database.query<ChunkRow>(select, [days]);
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

// Whoever waits for the lock makes all others wait who come later. The work itself takes as long as the chunk is large.
const patience = "select set_config('lock_timeout', '2s', true), set_config('statement_timeout', '0', true)";

/** Lets the table be compressed. Returns at once if it may be already. */
export function enableCompression(database: Database): Promise<void> {
  return database.transaction(async (transaction) => {
    await transaction.query(patience);
    await transaction.query('select timeseries.enable_compression()');
  });
}

/** Compresses a chunk, or its rows that are not compressed. Writers of the chunk wait. */
export function compressChunk(database: Database, { name }: ChunkRow): Promise<void> {
  return database.transaction(async (transaction) => {
    await transaction.query(patience);
    await transaction.query('select timeseries.compress_chunk($1::regclass)', [name]);
  });
}

/** Frees the space of rows that were compressed. An index keeps its pages when it is emptied: it is built anew. */
export async function vacuumChunk(database: Database, { name }: ChunkRow): Promise<void> {
  await database.query(`vacuum ${name}`);
  await database.transaction(async (transaction) => {
    await transaction.query(patience);
    await transaction.query(`reindex table ${name}`);
  });
}
