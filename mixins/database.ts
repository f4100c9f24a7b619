import pg from 'pg';
import type { Environment, Resource } from './environment.ts';
import { metricsOf } from './metrics.ts';

/** A row as pg hands it over; each query names its own shape. */
export type Row = pg.QueryResultRow;

/** Runs a statement: on the pool, or inside a transaction. A named one is prepared once a connection. */
export interface Queryable {
  query<T extends Row>(statement: Statement, values?: readonly unknown[]): Promise<T[]>;
}

/** SQL with its name, or without one where it is run seldom. */
export type Statement = string | { readonly name: string; readonly text: string };

/** A pool of connections to the product's database. */
export interface Database extends Queryable {
  /** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  /** The pool behind it, for what needs a connection of its own. */
  readonly pool: pg.Pool;
}

interface Shared {
  pool: pg.Pool;
  users: number;
}

// One pool a process and URL, however many services run in it: connections are what PostgreSQL has least of.
const pools = new Map<string, Shared>();

/** The database that DATABASE_URL names, as a resource: `uses: { database: database() }`. */
export function database(): Resource<Database> {
  return {
    async start(environment) {
      const url = databaseUrl(environment);
      const shared = pools.get(url) ?? { pool: newPool(url, environment), users: 0 };
      shared.users += 1;
      pools.set(url, shared);
      return databaseOf(shared.pool);
    },
    async stop({ pool }) {
      for (const [url, shared] of pools) {
        if (shared.pool !== pool) continue;
        shared.users -= 1;
        if (shared.users > 0) return;
        pools.delete(url);
        await pool.end();
      }
    },
  };
}

/** The URL of the database that a broker works on. @throws when none was given. */
export function databaseUrl({ config }: Pick<Environment, 'config'>): string {
  if (config.DATABASE_URL === undefined) throw new Error('DATABASE_URL is not set');
  return config.DATABASE_URL;
}

function newPool(url: string, { config, logger, broker }: Environment): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: config.DATABASE_POOL,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 30_000,
    application_name: 'pulsebus',
  });
  // A connection that dies while idle (a restart of PostgreSQL) is replaced by the pool; unheard, it would end us.
  pool.on('error', (error: Error & { code?: string }) =>
    logger.warn('database.connection_lost', { code: error.code }),
  );
  const metrics = metricsOf(broker);
  metrics.onLook(() => {
    for (const [state, value] of [
      ['idle', pool.idleCount],
      ['used', pool.totalCount - pool.idleCount],
      ['waiting', pool.waitingCount],
    ] as const)
      metrics.set('pulsebus_database_connections', { state }, value);
    metrics.set('pulsebus_database_connections_limit', {}, config.DATABASE_POOL);
  });
  return pool;
}

/** Wraps a pool of one's own: tests and tools. */
export function databaseOf(pool: pg.Pool): Database {
  return {
    pool,
    query: (statement, values) => run(pool, statement, values),
    transaction: (work) => transact(pool, work),
  };
}

async function run<T extends Row>(
  on: pg.Pool | pg.PoolClient,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<T[]> {
  const query = typeof statement === 'string' ? { text: statement } : statement;
  const { rows } = await on.query<T>({ ...query, values: [...values] });
  return rows;
}

async function transact<T>(pool: pg.Pool, work: (transaction: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('begin');
    const result = await work({ query: (statement, values) => run(client, statement, values) });
    await client.query('commit');
    return result;
  } catch (error) {
    broken = await client.query('rollback').then(
      () => false,
      () => true,
    );
    throw error;
  } finally {
    client.release(broken);
  }
}
