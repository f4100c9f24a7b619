import type { Bench, Measurement } from '../bench.ts';
import { ensureOperations } from '../dataset/ensure.ts';
import { perUser } from '../dataset/insert-operations.ts';
import { type Product, startProduct } from '../product.ts';
import { latencies, targetOf } from '../requests.ts';
import { pairRow, type Row } from '../row.ts';

const factor = 10;
const goal = { most: 1.5 };
const cases = [
  ['users: first page', '/users?limit=20'],
  ['users: search of two letters', '/users?limit=20&search=an'],
  ['users: search of a syllable', '/users?limit=20&search=tran'],
  ['users with an active connection', '/users?limit=20&connected=true'],
  ['users without one', '/users?limit=20&connected=false'],
  ['users with a revoked one', '/users?limit=20&connection_status=revoked'],
  ['deliveries done', '/deliveries?limit=20&status=done'],
  ['deliveries done of a provider', '/deliveries?limit=20&status=done&provider=activitynet'],
  ['overview', '/overview'],
] as const;

/** Lists of operators with ten times the data. */
export const growth: Measurement = {
  name: 'growth',
  hasOwnData: true,
  async run(bench) {
    const count = bench.sizes.operations;
    const stops: Product[] = [];
    const open = async (users: number) => {
      const product = await startProduct({ databaseUrl: await ensureOperations(bench, bench.sizes, users) });
      stops.push(product);
      return product;
    };
    try {
      const sides = { a: await open(count), b: await open(count / factor) };
      const shown = [count, count * perUser.deliveries, count * perUser.changes].map((n) =>
        n.toLocaleString('en'),
      );
      return {
        title: 'Growth',
        about: `Median time of an answer over one connection. A: ${shown[0]} users, ${shown[1]} deliveries, ${shown[2]} changes. B: a tenth of each.`,
        rows: await measure(bench, sides),
      };
    } finally {
      for (const product of stops) await product.stop();
    }
  },
};

async function measure(bench: Bench, { a, b }: { a: Product; b: Product }): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, path] of cases) {
    const figures = await latencies(bench, { a: targetOf(a, [path]), b: targetOf(b, [path]) });
    rows.push(pairRow({ what, ...figures, unit: 'ms', goal }));
  }
  return rows;
}
