import pg from 'pg';
import { checkSamplesReadable } from '../../runtime/database/compressed-samples.ts';
import { connectionChoice } from '../../runtime/database/database-client.ts';
import type { Environment, Mixin } from '../../runtime/environment.ts';
import { metricsOf } from '../../runtime/telemetry/metrics.ts';
import { SharedConnections } from './shared-connections.ts';

/** A row as pg returns it. Each query declares its own shape. */
export type Row = pg.QueryResultRow;

/** Runs a statement on the pool or inside a transaction. A named statement is prepared once per connection. */
export interface Queryable {
  query<T extends Row>(statement: Statement, values?: readonly unknown[]): Promise<T[]>;
}

/**
 * SQL with a name. Statements that run rarely have none. One that is `shared` does not have its connection to itself, outside of
 * transactions: it must be brief and must not wait for locks.
 */
export type Statement = string | { readonly name: string; readonly text: string; readonly shared?: true };

/** The first row of a statement; undefined if there is none. */
export async function firstRow<T extends Row>(
  on: Queryable,
  statement: Statement,
  values?: readonly unknown[],
): Promise<T | undefined> {
  const [row] = await on.query<T>(statement, values);
  return row;
}

/** A pool of connections to the product's database. */
export interface Database extends Queryable {
  /** Runs `work` in one transaction. It commits when `work` returns and rolls back when it throws. */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  /** The underlying pool, for callers that need a dedicated connection. */
  readonly pool: pg.Pool;
}

/**
 * Limits of every connection. A process has at most DATABASE_POOL connections, the same number again for timeseries,
 * whose page statements are planned once, and `ormConnections` each for auth and users, because MikroORM has a pool of
 * its own; and as many to the replica of DATABASE_READ_URL, without those of MikroORM. A transaction that was abandoned or paused holds its locks for at most a minute.
 */
export const connectionLimits = {
  // PostgreSQL forks a process per connection, which takes seconds while the machine starts other things.
  connectionTimeoutMillis: 15_000,
  idleTimeoutMillis: 30_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
  application_name: 'pulsebus',
} as const;

/** Connections of MikroORM's pool, per service that uses it. */
export const ormConnections = 4;

interface Shared {
  readonly database: Database;
  users: number;
}

/**
 * When PostgreSQL plans a named statement. `each`: the planner decides, and plans for each call's values as long as it
 * estimates that this pays. `once`: one plan per connection. For statements whose plan never depends on their values
 * this halves the time of a page of samples (a day: 0.31 ms instead of 0.72 ms).
 */
export type Planning = 'each' | 'once';

// One pool per process, URL and planning mode, shared by all services in the process, because connections are
// PostgreSQL's scarcest resource.
const databases = new Map<string, Shared>();

/** The database of DATABASE_URL as a mixin: `uses: { database: database() }`. */
export function database(planning: Planning = 'each'): Mixin<Database> {
  return (starting) => {
    const shared = sharedDatabase(databaseUrl(starting), { server: 'primary', planning }, starting);
    starting.onStop(() => leaveDatabase(shared));
    return shared;
  };
}

/** What a pool is for. */
export interface PoolUse {
  readonly server: 'primary' | 'replica';
  readonly planning: Planning;
}

/** The database of this process for a URL, which is left with `leaveDatabase`. */
export function sharedDatabase(url: string, use: PoolUse, environment: Environment): Database {
  const key = `${use.server} ${use.planning} ${url}`;
  const shared = databases.get(key) ?? { database: databaseOf(newPool(url, use, environment)), users: 0 };
  shared.users += 1;
  databases.set(key, shared);
  return shared.database;
}

/** Ends the connections to a shared database if nobody else uses it. */
export async function leaveDatabase(database: Database): Promise<void> {
  for (const [key, shared] of databases) {
    if (shared.database !== database) continue;
    shared.users -= 1;
    if (shared.users > 0) return;
    databases.delete(key);
    await database.pool.end();
  }
}

/**
 * Connection options for a planning mode. JIT is off: a plan without alternative to a scan that is disabled
 * (`enable_seqscan = off`) has an estimated cost of 10^10, and PostgreSQL would compile it at each execution. A write may
 * decompress any number of samples: its statements are bounded by series and time instead.
 */
export function planningOptions(planning: Planning): { readonly options: string } {
  const options = '-c jit=off -c timescaledb.max_tuples_decompressed_per_dml_transaction=0';
  return { options: planning === 'once' ? `${options} ${plannedOnce}` : options };
}

// A plan of many lateral scans excludes chunks by its parameters once. Excluding them again for each scan takes 70 µs, and looking
// into the chunks that are left takes 3 µs each.
const plannedOnce = '-c plan_cache_mode=force_generic_plan -c timescaledb.enable_runtime_exclusion=off';

/** The URL of the broker's database. @throws if none is configured */
export function databaseUrl({ config }: Pick<Environment, 'config'>): string {
  if (config.DATABASE_URL === undefined) throw new Error('DATABASE_URL is not set');
  return config.DATABASE_URL;
}

const limitsOf: Readonly<Record<PoolUse['server'], pg.PoolConfig>> = {
  primary: {},
  // A read that a replica does not answer in time is repeated on the primary.
  replica: { connectionTimeoutMillis: 500, query_timeout: 3000 },
};

function newPool(
  url: string,
  { server, planning }: PoolUse,
  { config, logger, broker }: Environment,
): pg.Pool {
  const max = config.DATABASE_POOL;
  const all = { ...connectionLimits, ...planningOptions(planning), ...limitsOf[server], pipeline: true };
  const pool = new pg.Pool({ ...connectionChoice(url), max, ...all, verify });
  // The pool replaces a connection that fails while idle (a restart of PostgreSQL). Without a listener the error event
  // would end the process. The pool itself listens only to connections that are not checked out.
  pool.on('error', () => undefined);
  pool.on('connect', (client) =>
    client.on('error', (error: Error & { code?: string }) => {
      // Connections close after their pool has ended. PostgreSQL may still report its shutdown to them.
      if (!pool.ending) logger.warn('database.connection_lost', { code: error.code });
    }),
  );
  const metrics = metricsOf(broker);
  metrics.onScrape(() => {
    for (const [state, value] of [
      ['idle', pool.idleCount],
      ['used', pool.totalCount - pool.idleCount],
      ['waiting', pool.waitingCount],
    ] as const)
      metrics.set('pulsebus_database_connections', { state, planning, server }, value);
    metrics.set('pulsebus_database_connections_limit', { planning, server }, max);
  });
  return pool;
}

// Each new connection, because the server may have been restarted with another edition of TimescaleDB.
function verify(client: pg.PoolClient, done: (error?: Error) => void): void {
  checkSamplesReadable(client).then(() => done(), done);
}

/** Wraps an existing pool, for tests and tools. */
export function databaseOf(pool: pg.Pool): Database {
  const connections: Connections = pool.options.pipeline === true ? new SharedConnections(pool) : pool;
  return {
    pool,
    query: (statement, values) => run(isShared(statement) ? connections : pool, statement, values),
    transaction: (work) => transact(pool, work),
  };
}

interface Connections {
  query<T extends Row>(query: pg.QueryConfig): Promise<pg.QueryResult<T>>;
}

function isShared(statement: Statement): boolean {
  return typeof statement !== 'string' && statement.shared === true;
}

async function run<T extends Row>(
  on: Connections,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<T[]> {
  const { name, text } = typeof statement === 'string' ? { text: statement } : statement;
  const { rows } = await on.query<T>({ name, text, values: [...values] });
  return rows;
}

async function transact<T>(pool: pg.Pool, work: (transaction: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let [broken, isOver] = [false, false];
  try {
    await client.query('begin');
    const result = await work({
      // Of work in parallel a part may fail first. What the others still send must not run outside of the transaction.
      query: async (statement, values) => {
        if (isOver) throw new Error('the transaction is over');
        return run(client, statement, values);
      },
    });
    isOver = true;
    await client.query('commit');
    return result;
  } catch (error) {
    isOver = true;
    broken = await client.query('rollback').then(
      () => false,
      () => true,
    );
    throw error;
  } finally {
    client.release(broken);
  }
}
