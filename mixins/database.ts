import pg from 'pg';
import type { Environment, Mixin } from '../runtime/environment.ts';
import { metricsOf } from '../runtime/metrics.ts';

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

/**
 * What every connection of ours is bound by. A process has at most DATABASE_POOL of them, as many again for timeseries,
 * whose pages are planned once, and `ormConnections` more for auth and for users, whose rows MikroORM reads over a pool
 * of its own. A transaction that its process forgot, or
 * stopped in, holds no lock for longer than a minute.
 */
export const connectionLimits = {
  connectionTimeoutMillis: 5000,
  idleTimeoutMillis: 30_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
  application_name: 'pulsebus',
} as const;

/** Connections of MikroORM's pool, one a service that uses it. */
export const ormConnections = 4;

interface Shared {
  pool: pg.Pool;
  users: number;
}

/**
 * When PostgreSQL plans a named statement: `each` leaves it to the planner, which plans anew for each call's values
 * as long as it believes that to pay; `once` keeps one plan a connection. For statements whose plan never depends on
 * their values that halves the time of a page of samples (a day: 0.31 instead of 0.72 ms).
 */
export type Planning = 'each' | 'once';

// One pool a process, URL and way to plan, however many services run in it: connections are what PostgreSQL has
// least of.
const pools = new Map<string, Shared>();

/** The database that DATABASE_URL names, as a mixin: `uses: { database: database() }`. */
export function database(planning: Planning = 'each'): Mixin<Database> {
  return {
    async start(environment) {
      const url = databaseUrl(environment);
      const key = `${planning} ${url}`;
      const shared = pools.get(key) ?? { pool: newPool(url, planning, environment), users: 0 };
      shared.users += 1;
      pools.set(key, shared);
      return databaseOf(shared.pool);
    },
    async stop({ pool }) {
      for (const [key, shared] of pools) {
        if (shared.pool !== pool) continue;
        shared.users -= 1;
        if (shared.users > 0) return;
        pools.delete(key);
        await pool.end();
      }
    },
  };
}

/** Options of a connection that plans in such a way. */
export function planningOptions(planning: Planning): { readonly options?: string } {
  return planning === 'once' ? { options: '-c plan_cache_mode=force_generic_plan' } : {};
}

/** The URL of the database that a broker works on. @throws when none was given. */
export function databaseUrl({ config }: Pick<Environment, 'config'>): string {
  if (config.DATABASE_URL === undefined) throw new Error('DATABASE_URL is not set');
  return config.DATABASE_URL;
}

function newPool(url: string, planning: Planning, { config, logger, broker }: Environment): pg.Pool {
  const max = config.DATABASE_POOL;
  const limits = { ...connectionLimits, ...planningOptions(planning) };
  const pool = new pg.Pool({ connectionString: url, max, ...limits });
  // A connection that dies while nobody waits for its answer (a restart of PostgreSQL) is replaced by the pool;
  // unheard, it would end us. The pool itself listens to those only that are not lent.
  pool.on('error', () => undefined);
  pool.on('connect', (client) =>
    client.on('error', (error: Error & { code?: string }) => {
      // A pool ends before its connections are closed: they may still be told that the server stops.
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
      metrics.set('pulsebus_database_connections', { state, planning }, value);
    metrics.set('pulsebus_database_connections_limit', { planning }, max);
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
