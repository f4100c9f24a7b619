import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Bench, Measurement } from '../bench.ts';
import { openCheckout } from '../checkout.ts';
import { senders, storeRate } from '../commits/store-rates.ts';
import { childrenOf } from '../cpu-quota.ts';
import { emptyDatabase } from '../dataset/ensure.ts';
import { createConnectedUsers } from '../ingest/connected-users.ts';
import { startProduct, startWorkers } from '../product.ts';
import { inRounds, type Measure } from '../rounds.ts';
import { pairRow, type Row, singleRow } from '../row.ts';

const run = promisify(execFile);
/** Two looks of the processes at whether they are idle. */
const idleMs = 40_000;

interface Side {
  readonly measure: Measure;
  readonly pid: number;
  stop(): Promise<unknown>;
}

/** What is stored in a second: against another commit, and by two workers against one process. */
export const stores: Measurement = {
  name: 'stores',
  async run(bench) {
    const other = await openCheckout(bench.against);
    try {
      return {
        title: 'Storing in two commits, and with two workers',
        about: `Values a second of pushes of ${senders} senders at once, in rounds in turn, each side on a database of its own. One process runs all services, or two workers that share a port do. Other commit: ${other.name}.`,
        rows: [
          await compare(bench, 'values stored (B: the other commit)', {
            a: () => oneProcess(bench, 'stores'),
            b: () => oneProcess(bench, 'stores_other', other.folder),
          }),
          ...(await withWorkers(bench)),
        ],
      };
    } finally {
      await other.remove();
    }
  },
};

async function compare(
  bench: Bench,
  what: string,
  start: Readonly<Record<'a' | 'b', () => Promise<Side>>>,
): Promise<Row> {
  const [a, b] = [await start.a(), await start.b()];
  try {
    const rates = await inRounds(bench.sizes.throughputRounds, { a: a.measure, b: b.measure });
    return pairRow({ what, ...rates, unit: 'values/s', goal: { least: 0.95 } });
  } finally {
    await Promise.all([a.stop(), b.stop()]);
  }
}

async function withWorkers(bench: Bench): Promise<Row[]> {
  const megabytes: number[] = [];
  const workers = async (): Promise<Side> => {
    const side = await twoWorkers(bench, 'stores_workers');
    const stop = async () => {
      const pids = [side.pid, ...(await childrenOf(side.pid))];
      for (const waitMs of [0, idleMs]) {
        await sleep(waitMs);
        megabytes.push((await Promise.all(pids.map(residentMegabytes))).reduce((sum, one) => sum + one));
      }
      await side.stop();
    };
    return { ...side, stop };
  };
  const pair = { a: workers, b: () => oneProcess(bench, 'stores_one') };
  const rates = await compare(bench, 'values stored by two workers (B: by one process)', pair);
  const [after = 0, idle = 0] = megabytes;
  const what = 'resident memory of two workers and their primary';
  return [
    rates,
    singleRow({ what: `${what}, right after it`, value: after, unit: 'MB' }),
    singleRow({ what: `${what}, ${idleMs / 1000} s later`, value: idle, unit: 'MB', goal: { most: 600 } }),
  ];
}

async function residentMegabytes(pid: number): Promise<number> {
  const [, kilobytes = '0'] =
    /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

async function oneProcess(bench: Bench, part: string, folder = process.cwd()): Promise<Side> {
  const product = await startProduct({ databaseUrl: await migrated(bench, part, folder), folder });
  const users = await createConnectedUsers(product, 'sender', senders);
  return { measure: storeRate(bench, product.url, users), pid: product.pid, stop: () => product.stop() };
}

async function twoWorkers(bench: Bench, part: string): Promise<Side> {
  const databaseUrl = await migrated(bench, part, process.cwd());
  const first = await startProduct({ databaseUrl });
  const users = await createConnectedUsers(first, 'sender', senders);
  await first.stop();
  const workers = await startWorkers({ databaseUrl, settings: { WORKERS: '2' } });
  return { measure: storeRate(bench, workers.url, users), pid: workers.pid, stop: workers.stop };
}

// A database for each, because services of two processes would share the queue of one.
async function migrated(bench: Bench, part: string, folder: string): Promise<string> {
  const DATABASE_URL = await emptyDatabase(bench, bench.sizes, part);
  await run(process.execPath, ['migrate.ts'], { cwd: folder, env: { ...process.env, DATABASE_URL } });
  return DATABASE_URL;
}
