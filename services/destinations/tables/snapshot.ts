import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Queryable, Row, Statement } from '../../../mixins/database/database.ts';
import { newClient } from '../../../runtime/database/database-client.ts';

/**
 * One view of the database, of which any number of rows is read. It has a connection of its own, because it may be open for minutes,
 * and a pool would run out.
 */
export interface Snapshot extends Queryable {
  /** The rows of a query in PostgreSQL's binary form. The query has no parameters: its values are numbers and ids. */
  copy(query: string): AsyncIterable<Buffer>;
}

/** A reader that does not go on for this time is cut off, so that it does not keep old rows from being removed. */
const idleSeconds = 120;
const options = '-c jit=off -c timescaledb.enable_runtime_exclusion=off';

/** Runs `work` with a snapshot, which ends with it. The signal ends its connection, so that nothing goes on after it. */
export async function withSnapshot<T>(
  databaseUrl: string,
  signal: AbortSignal,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = newClient(databaseUrl, {
    application_name: 'pulsebus',
    connectionTimeoutMillis: 15_000,
    options,
    idle_in_transaction_session_timeout: idleSeconds * 1000,
  });
  client.on('error', () => undefined);
  const abort = () => void client.end().catch(() => undefined);
  await client.connect();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await client.query('begin isolation level repeatable read read only; set local statement_timeout = 0');
    return await work({
      query: (statement, values) => run(client, statement, values),
      copy: (query) => client.query(copyTo(`copy (${query}) to stdout (format binary)`)),
    });
  } finally {
    signal.removeEventListener('abort', abort);
    await client.end().catch(() => undefined);
  }
}

async function run<T extends Row>(
  client: pg.Client,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<T[]> {
  const text = typeof statement === 'string' ? statement : statement.text;
  return (await client.query<T>(text, [...values])).rows;
}
