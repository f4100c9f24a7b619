import type { Environment, Mixin } from '../../runtime/environment.ts';
import { metricsOf } from '../../runtime/telemetry/metrics.ts';
import {
  type Database,
  database,
  leaveDatabase,
  type Planning,
  type Row,
  type Statement,
  sharedDatabase,
} from './database.ts';
import { hasAll, isAway } from './primary-away.ts';
import { ReplicaGate } from './replica-gate.ts';

/** The errors of a statement itself, which the primary would return too: syntax, data, constraints, its time limit. */
const ownErrors = /^(22|23|42|57014)/;

/**
 * The database for handlers that only read: its statements run on the replica of DATABASE_READ_URL if that has
 * everything that was answered before, otherwise on the primary. Transactions run on the primary.
 */
export function reads(planning: Planning = 'each'): Mixin<Database> {
  return async (starting) => {
    const main = await database(planning)(starting);
    const { DATABASE_READ_URL: url } = starting.config;
    metricsOf(starting.broker).count('pulsebus_database_reads_total', { server: 'primary' }, 0);
    if (url === undefined) return main;
    const replicated = new ReplicatedReads(main, url, planning, starting);
    starting.onStop(() => replicated.end());
    return replicated;
  };
}

class ReplicatedReads implements Database {
  readonly #main: Database;
  readonly #replica: Database;
  readonly #gate: ReplicaGate;
  readonly #count: (server: 'replica' | 'primary') => void;

  constructor(main: Database, url: string, planning: Planning, environment: Environment) {
    this.#main = main;
    this.#replica = sharedDatabase(url, { server: 'replica', planning }, environment);
    this.#gate = gateOf(main, this.#replica);
    const metrics = metricsOf(environment.broker);
    this.#count = (server) => metrics.count('pulsebus_database_reads_total', { server });
  }

  get pool() {
    return this.#main.pool;
  }

  transaction: Database['transaction'] = (work) => this.#main.transaction(work);

  async query<T extends Row>(statement: Statement, values?: readonly unknown[]): Promise<T[]> {
    if (await this.#gate.isFresh())
      try {
        const rows = await this.#replica.query<T>(statement, values);
        this.#count('replica');
        return rows;
      } catch (error) {
        if (ownErrors.test(String(Reflect.get(Object(error), 'code')))) throw error;
        this.#gate.avoid();
      }
    try {
      const rows = await this.#main.query<T>(statement, values);
      this.#count('primary');
      return rows;
    } catch (error) {
      if (!isAway(error) || !(await hasAll(this.#replica).catch(() => false))) throw error;
      this.#count('replica');
      return this.#replica.query<T>(statement, values);
    }
  }

  async end(): Promise<void> {
    await leaveDatabase(this.#replica);
  }
}

// The services of a process share the questions about a replica, as they share the connections to it.
const gates = new WeakMap<Database['pool'], ReplicaGate>();

function gateOf(main: Database, replica: Database): ReplicaGate {
  const gate = gates.get(replica.pool) ?? new ReplicaGate(main, replica);
  gates.set(replica.pool, gate);
  return gate;
}
