import pg from 'pg';
import type { Bench, Measurement } from '../bench.ts';
import { databaseCpuMs } from '../database-cpu.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { dailiesOf, sleepsOf, valuesPerDay } from '../ingest/bodies.ts';
import { type ConnectedUser, createConnectedUsers } from '../ingest/connected-users.ts';
import { sendPush } from '../ingest/send-push.ts';
import { type Product, startProduct } from '../product.ts';
import { figuresOf, inRounds } from '../rounds.ts';
import { pairRow, type Row } from '../row.ts';
import { removeChangeLog } from '../webhooks/remove-change-log.ts';

/** The rate of stored data with the change log and without it. */
export const changelog: Measurement = {
  name: 'changelog',
  hasOwnData: true,
  async run(bench) {
    const withLog = await startSide(bench, 'with');
    const without = await startSide(bench, 'without');
    try {
      return {
        title: 'Change log',
        about: `The device maker's push through the webhook, until its answer, all services in one process. A day of a user is one record with ${valuesPerDay.toLocaleString('en')} heart rates. A: a database as migrated, whose changes are recorded and published; B: one without the triggers that record them. CPU: of the services and of the connections to the database.`,
        rows: await measure(bench, withLog, without),
      };
    } finally {
      await withLog.stop();
      await without.stop();
    }
  },
};

interface Side {
  readonly product: Product;
  /** CPU of the product and of its connections. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

async function startSide(bench: Bench, side: 'with' | 'without'): Promise<Side> {
  const databaseUrl = await freshDatabase(bench, bench.sizes, `changes_${side}`);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  if (side === 'without') await removeChangeLog(pool);
  const product = await startProduct({ databaseUrl });
  return {
    product,
    cpuMs: async () => (await product.usage()).cpu_ms + (await databaseCpuMs(pool)),
    async stop() {
      await product.stop();
      await pool.end();
    },
  };
}

interface Push {
  readonly what: string;
  readonly users: number;
  /** Values, or records without samples, of a user. */
  readonly perUser: number;
  readonly unit: 'values/s' | '/s';
  bodyOf(users: readonly ConnectedUser[], day: number): string;
}

function pushesOf({ userDays, records }: Bench['sizes']['changeLog']): Push[] {
  const days = userDays.map((users) => ({
    ...{ what: `${users} user-days in a push`, users, perUser: valuesPerDay, unit: 'values/s' as const },
    bodyOf: dailiesOf,
  }));
  const nights = `${records} nights without samples in a push`;
  return [...days, { what: nights, users: records, perUser: 1, unit: '/s', bodyOf: sleepsOf }];
}

async function measure({ sizes }: Bench, withLog: Side, without: Side): Promise<Row[]> {
  const rows: Row[] = [];
  for (const push of pushesOf(sizes.changeLog)) {
    const [a, b] = [await sideOf(withLog, push), await sideOf(without, push)];
    const rates = await inRounds(sizes.throughputRounds, { a: a.measure, b: b.measure });
    const { what, unit } = push;
    rows.push(
      pairRow({ what, ...rates, unit, goal: { least: 0.95 } }),
      pairRow({ what: `${what}: CPU of a user's part`, a: a.cpu(), b: b.cpu(), unit: 'ms' }),
    );
  }
  return rows;
}

/** Each measurement sends another day of the same users, so that none of it is stored already. */
async function sideOf({ product, cpuMs }: Side, { users: count, perUser, bodyOf }: Push) {
  const users = await createConnectedUsers(product, `${bodyOf.name}-${count}`, count);
  const spent: number[] = [];
  const measure = async () => {
    const before = await cpuMs();
    const tookMs = await sendPush(product, bodyOf(users, spent.length), count);
    spent.push(((await cpuMs()) - before) / count);
    return (1000 * count * perUser) / tookMs;
  };
  // The first measurement is not counted, as in the rounds.
  return { measure, cpu: () => figuresOf(spent.slice(1)) };
}
