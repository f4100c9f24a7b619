import { serviceNames } from '../../stack/processes/services.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { insertFreshness, kindsEach, oneOf } from '../dataset/insert-freshness.ts';
import { createConnectedUsers } from '../ingest/pushes.ts';
import type { Bench, Measurement } from '../measurement.ts';
import type { Product } from '../product.ts';
import { targetOf } from '../requests.ts';
import { senders, storeRate } from './commits.ts';

const limit = 50;
const goal = { most: 1.5 };

/** Lists of stale connections, and what the service adds to the cost of a store. */
export const freshness: Measurement = {
  name: 'freshness',
  title: 'Freshness',
  hasOwnData: true,
  isOnDemand: true,
  async *lines(bench) {
    const { many, few } = bench.sizes.freshness;
    yield `Lists: median time of an answer over one connection, pages of ${limit}. A: ${many.toLocaleString('en')} connections with ${kindsEach} kinds of data each, one of ${oneOf} of them stale. B: ${few.toLocaleString('en')} such connections. Storing: values a second of pushes of ${senders} senders at once, in rounds in turn, each side on a database of its own. A: all services in one process; B: all but freshness.`;
    const [a, b] = [await opened(bench, many), await opened(bench, few)];
    for (const [what, path] of [
      ['stale, first page', `/freshness?limit=${limit}`],
      ['stale of a provider, first page', `/freshness?provider=oura&limit=${limit}`],
      ['late, first page', `/freshness?state=late&limit=${limit}`],
      ['silent: none', `/freshness?state=silent&limit=${limit}`],
    ] as const)
      yield {
        what,
        times: [targetOf(a, path), targetOf(b, path)],
        goal,
      };
    await Promise.all([a.stop(), b.stop()]);
    const [on, off] = [await storing(bench, 'on', []), await storing(bench, 'off', withoutFreshness)];
    yield {
      what: 'values stored (B: without the service)',
      sides: [on, off],
      unit: 'values/s',
      rounds: bench.sizes.throughputRounds,
      goal: { least: 0.98 },
    };
  },
};

const withoutFreshness = serviceNames.filter((name) => name !== 'freshness');

async function opened(bench: Bench, connections: number): Promise<Product> {
  const { product, pool } = await bench.startEmpty(`freshness${connections}`);
  await insertFreshness(pool, connections);
  return product;
}

async function storing(bench: Bench, part: string, services: readonly string[]) {
  const databaseUrl = await freshDatabase(bench, bench.sizes, `freshness_${part}`);
  const product = await bench.start({ databaseUrl, services });
  return storeRate(bench, product.url, await createConnectedUsers(product, 'sender', senders));
}
