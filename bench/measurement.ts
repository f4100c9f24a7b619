import pg from 'pg';
import { freshDatabase } from './dataset/ensure.ts';
import type { Plan } from './dataset/plan.ts';
import { type Line, rowsOf } from './lines.ts';
import type { Load } from './load/load.ts';
import { type Product, type ProductChoice, startProduct } from './product.ts';
import type { Section } from './report.ts';
import type { Row } from './row.ts';
import type { Sizes } from './sizes.ts';

/** The environment of all measurements. */
export interface Environment {
  readonly sizes: Sizes;
  readonly plan: Plan;
  /** The database of the data set. */
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly natsUrl: string | null;
  readonly adminUrl: string;
  /** All services in one process, on the data set. */
  readonly product: Product;
  readonly load: Load;
  /** The other checkout of a comparison of commits: a folder or a git revision. */
  readonly against: string;
  readonly say: (line: string) => void;
}

/** The environment of one measurement. What it opens is closed at its end, the last first. */
export interface Bench extends Environment {
  /** Keeps something to be stopped at the end of the measurement. */
  use<T extends { stop(): unknown }>(one: T): T;
  onEnd(stop: () => unknown): void;
  start(choice: ProductChoice): Promise<Product>;
  connect(connectionString: string, options?: pg.PoolConfig): pg.Pool;
  /** Starts a product on a migrated, empty database. An existing one of the same name is dropped. */
  startEmpty(part?: string, settings?: ProductChoice['settings']): Promise<OnEmpty>;
}

/** A product on a database of its own. */
interface OnEmpty {
  readonly product: Product;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
}

/** A part of the bench that can be run separately. */
export interface Measurement {
  readonly name: string;
  readonly title: string;
  /** It reads nothing of the data set. A run of such measurements only builds the small one. */
  readonly hasOwnData?: true;
  /** It takes long and runs only if --only names it. */
  readonly isOnDemand?: true;
  /** Prepares what is measured, and gives the lines one after the other. Each is measured before the next one is given. */
  lines(bench: Bench): AsyncIterable<Line> | Iterable<Line>;
}

/** Runs a measurement; returns its section of the report. */
export async function sectionOf(environment: Environment, { title, lines }: Measurement): Promise<Section> {
  const stops: (() => unknown)[] = [];
  const about: string[] = [];
  const rows: Row[] = [];
  try {
    for await (const line of lines(openingBench(environment, (stop) => stops.push(stop))))
      if (typeof line === 'string') about.push(line);
      else rows.push(...(await rowsOf(environment, line)));
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
  return { title, about: about.join(' '), rows };
}

function openingBench(environment: Environment, onEnd: (stop: () => unknown) => void): Bench {
  const use: Bench['use'] = (one) => {
    onEnd(() => one.stop());
    return one;
  };
  const start: Bench['start'] = async (choice) => use(await startProduct(choice));
  const connect: Bench['connect'] = (connectionString, options) => {
    const pool = new pg.Pool({ connectionString, max: 2, ...options });
    onEnd(() => (pool.ended ? undefined : pool.end()));
    return pool;
  };
  const startEmpty: Bench['startEmpty'] = async (part, settings = {}) => {
    const databaseUrl = await freshDatabase(environment, environment.sizes, part);
    return { product: await start({ databaseUrl, settings }), databaseUrl, pool: connect(databaseUrl) };
  };
  return { ...environment, use, onEnd, start, connect, startEmpty };
}
