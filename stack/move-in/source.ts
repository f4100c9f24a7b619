import { userInfo } from 'node:os';
import pg from 'pg';
import { errorCodeOf } from '../../domain/error-code.ts';
import { isLostConnection } from '../../runtime/failure.ts';
import { StartError } from '../machine/start-error.ts';
import { type Columns, checkTables, isRead } from './source-tables.ts';

// The database of Open Wearables. Nothing is ever written there: all statements run in transactions that refuse writes.

/** A row as pg returns it. */
type Row = pg.QueryResultRow;

/** One read-only transaction: every statement sees the same state. */
export interface Reader {
  rows<T extends Row>(statement: string, values?: readonly unknown[]): Promise<T[]>;
  /** The rows of a statement in pages, through a cursor: one page is in memory. */
  pages<T extends Row>(statement: string, values: readonly unknown[], pageRows: number): AsyncGenerator<T[]>;
}

/** The database that is read. */
export interface Source {
  /** Names the database without its address: the identifier of its server, and its name. */
  readonly fingerprint: string;
  /** The host and name, for the report. Never the user or the password. */
  readonly title: string;
  readonly columns: Columns;
  /** Runs `work` in one repeatable-read transaction. @throws StartError for a failure of the source */
  reading<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const connectMs = 15_000;
const statementMs = 900_000;
const idleMs = 900_000;
const lockMs = 10_000;
const limits = `set local timezone = 'UTC'; set local statement_timeout = ${statementMs};
  set local idle_in_transaction_session_timeout = ${idleMs}; set local lock_timeout = ${lockMs}`;

/** Opens the database and checks its tables. `password` replaces the one of the address. @throws StartError */
export async function openSource(
  address: string,
  { password, connections }: { readonly password?: string | undefined; readonly connections: number },
): Promise<Source> {
  const url = addressOf(address, password);
  const pool = new pg.Pool({
    connectionString: url.href,
    max: connections,
    connectionTimeoutMillis: connectMs,
    application_name: 'pulsebus move-in',
    keepAlive: true,
  });
  // An idle connection that breaks is replaced when it is needed.
  pool.on('error', () => undefined);
  const title = `${url.hostname}${url.port === '' ? '' : `:${url.port}`}/${nameOf(url)}`;
  const reading = <T>(work: (reader: Reader) => Promise<T>) =>
    transaction(pool, work).catch((error: unknown) => {
      throw sourceError(error, url);
    });
  try {
    const columns = await reading(readColumns);
    const fingerprint = await reading((reader) => fingerprintOf(reader));
    return { fingerprint, title, columns, reading, close: () => pool.end() };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

const form = /^postgres(?:ql)?(?:\+\w+)?:\/\//;

// Open Wearables writes the address with the name of a driver: postgresql+psycopg://.
function addressOf(text: string, password: string | undefined): URL {
  const url = form.test(text) ? URL.parse(text.replace(form, 'postgres://')) : null;
  if (url === null || nameOf(url) === '')
    throw new StartError('The address of the database must be postgres://USER@HOST:PORT/NAME.');
  if (password !== undefined) url.password = encodeURIComponent(password);
  if (url.username === '') url.username = encodeURIComponent(process.env.PGUSER ?? userInfo().username);
  return url;
}

const nameOf = ({ pathname }: URL) => decodeURIComponent(pathname.slice(1));

async function transaction<T>(pool: pg.Pool, work: (reader: Reader) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isBroken = true;
  // The error of a connection that breaks reaches the statement too.
  const ignore = () => undefined;
  client.on('error', ignore);
  try {
    await client.query('begin transaction isolation level repeatable read, read only');
    // Of the transaction only: a pooler may give the connection to somebody else after it.
    await client.query(limits);
    const result = await work(readerOf(client));
    await client.query('commit');
    isBroken = false;
    return result;
  } finally {
    client.off('error', ignore);
    client.release(isBroken);
  }
}

function readerOf(client: pg.PoolClient): Reader {
  let cursors = 0;
  return {
    async rows<T extends Row>(statement: string, values: readonly unknown[] = []) {
      return (await client.query<T>(statement, [...values])).rows;
    },
    async *pages<T extends Row>(statement: string, values: readonly unknown[], pageRows: number) {
      cursors += 1;
      const name = `move_in_${cursors}`;
      await client.query(`declare ${name} no scroll cursor for ${statement}`, [...values]);
      for (;;) {
        const { rows } = await client.query<T>(`fetch forward ${pageRows} from ${name}`);
        if (rows.length > 0) yield rows;
        if (rows.length < pageRows) break;
      }
      await client.query(`close ${name}`);
    },
  };
}

// The information schema lists only what the role may read: a table without rights would look missing.
async function readColumns(reader: Reader): Promise<Columns> {
  const rows = await reader.rows<{ name: string; columns: string[]; is_readable: boolean }>(
    `select c.relname::text as name, array_agg(a.attname::text) as columns, has_table_privilege(c.oid, 'select') as is_readable
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition group by c.oid, c.relname`,
  );
  const columns = new Map(rows.map(({ name, columns }) => [name, new Set(columns)]));
  checkTables(columns);
  const closed = rows.filter(({ name, is_readable }) => isRead(name) && !is_readable);
  if (closed.length > 0)
    throw new StartError(
      `The user of the address may not read ${closed.map(({ name }) => name).join(', ')}: grant select on all tables in schema public.`,
    );
  return columns;
}

// A role may lack the right to read the identifier of the server.
async function fingerprintOf(reader: Reader): Promise<string> {
  const [row] = await reader.rows<{ server: string; name: string }>(
    `select case when has_function_privilege('pg_control_system()', 'execute')
       then (select system_identifier::text from pg_control_system()) else 'database-' || d.oid end as server, d.datname as name
     from pg_database d where d.datname = current_database()`,
  );
  return `${row?.server ?? 'unknown'}/${row?.name ?? 'unknown'}`;
}

/** A failure of the source as one sentence for the operator. Other errors are returned unchanged. */
function sourceError(error: unknown, url: URL): unknown {
  if (error instanceof StartError || !(error instanceof Error)) return error;
  const server = `${url.hostname}:${url.port || '5432'}`;
  const code = errorCodeOf(error) ?? '';
  const user = decodeURIComponent(url.username);
  const again = 'What was moved stays: run the same command again to go on.';
  const sentences: Readonly<Record<string, string>> = {
    '28P01': `${server} refuses the password of user ${user}: give it in PGPASSWORD or by --password-file.`,
    '28000': `${server} does not let user ${user} in: see its pg_hba.conf.`,
    '3D000': `${server} has no database ${nameOf(url)}.`,
    '42501': `User ${user} may not read all that is needed (${error.message}): grant select on all tables in schema public.`,
    '53300': `${server} has no connection left (max_connections): run with a smaller --parallel.`,
    '55P03': `A table of ${server} is locked by a migration or by maintenance: run again when it has ended.`,
    '57014': `A statement at ${server} took longer than ${statementMs / 60_000} minutes and was ended. ${again}`,
    '25P03': `${server} ended a transaction that waited for our services. ${again}`,
  };
  const sentence = sentences[code] ?? (isAway(error, code) ? awaySentence(server, code, again) : undefined);
  return sentence === undefined ? error : new StartError(sentence, { cause: error });
}

const away = /^(08|57P0)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)$/;

function isAway({ message }: Error, code: string): boolean {
  return (
    away.test(code) ||
    isLostConnection(message) ||
    /^(timeout exceeded when trying|The server does not support SSL|Connection ended|SASL)/.test(message)
  );
}

function awaySentence(server: string, code: string, again: string): string {
  const reason = code === '' ? '' : ` (${code})`;
  return `The database at ${server} does not answer${reason}: check its address, and that it runs. ${again}`;
}
