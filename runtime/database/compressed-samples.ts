import type pg from 'pg';

/** The server would answer queries of compressed samples with no rows, and delete none of them. */
export class UnreadableSamplesError extends Error {
  override readonly name = 'UnreadableSamplesError';
  constructor() {
    super(
      "the database holds compressed samples, which this server's edition of TimescaleDB leaves out of every answer without an error. Set timescaledb.license = 'timescale' on a server with the community edition.",
    );
  }
}

const edition = `
  select current_setting('timescaledb.license', true) as license,
    to_regclass('_timescaledb_catalog.chunk') is not null as has_chunks`;
const compressed =
  'select from _timescaledb_catalog.chunk where compressed_chunk_id is not null and not dropped limit 1';

interface EditionRow {
  readonly license: string | null;
  readonly has_chunks: boolean;
}

/** Checks a new connection. @throws UnreadableSamplesError if compressed samples could not be read through it */
export async function checkSamplesReadable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<EditionRow>(edition);
  const [row] = rows;
  if (row === undefined || row.license === 'timescale' || !row.has_chunks) return;
  if ((await client.query(compressed)).rowCount !== 0) throw new UnreadableSamplesError();
}
