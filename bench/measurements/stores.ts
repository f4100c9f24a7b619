import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Bench, Measurement } from '../bench.ts';
import { openCheckout } from '../checkout.ts';
import { storeRate } from '../commits/store-rates.ts';
import { emptyDatabase } from '../dataset/ensure.ts';
import { type Product, startProduct } from '../product.ts';
import { inRounds } from '../rounds.ts';
import { pairRow } from '../row.ts';

const run = promisify(execFile);

/** What this checkout stores in a second against another one, each on a database with its own schema. */
export const stores: Measurement = {
  name: 'stores',
  async run(bench) {
    const other = await openCheckout(bench.against);
    const started: Product[] = [];
    try {
      const product = async (part: string, folder = process.cwd()) => {
        const one = await startProduct({ databaseUrl: await migrated(bench, part, folder), folder });
        started.push(one);
        return storeRate(bench, one);
      };
      const sides = { a: await product('stores'), b: await product('stores_other', other.folder) };
      const rates = await inRounds(bench.sizes.throughputRounds, sides);
      return {
        title: 'Storing in two commits',
        about: `Values a second of pushes of 8 senders at once, all services in one process, in rounds in turn. A: this checkout. B: ${other.name}.`,
        rows: [pairRow({ what: 'values stored', ...rates, unit: 'values/s', goal: { least: 0.95 } })],
      };
    } finally {
      await Promise.all(started.map((one) => one.stop()));
      await other.remove();
    }
  },
};

// A database for each, because services of two processes would share the queue of one.
async function migrated(bench: Bench, part: string, folder: string): Promise<string> {
  const DATABASE_URL = await emptyDatabase(bench, bench.sizes, part);
  await run(process.execPath, ['migrate.ts'], { cwd: folder, env: { ...process.env, DATABASE_URL } });
  return DATABASE_URL;
}
