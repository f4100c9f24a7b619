import type { Bench, Measurement } from '../bench.ts';
import { latencies, samplesPath, targetOf } from '../requests.ts';
import { pairRow } from '../row.ts';

const cases = [
  { resolution: '1hour', limit: 50 },
  { resolution: '1hour', limit: 100 },
  { resolution: '15min', limit: 50 },
  { resolution: '5min', limit: 50 },
  { resolution: '1min', limit: 50 },
  { resolution: 'raw', limit: 50 },
];

/** The cost of a user with samples at 1 Hz against one at 1/min. */
export const hertz: Measurement = {
  name: 'hertz',
  async run(bench) {
    const rows = [];
    for (const one of cases) rows.push(await compare(bench, one.resolution, one.limit));
    return {
      title: 'The 1 Hz user',
      about:
        'Median time of an answer over one connection, heart_rate. A: 31.5 million samples a year. B: 525,600.',
      rows,
    };
  },
};

async function compare(bench: Bench, resolution: string, limit: number) {
  const { product, plan, sizes } = bench;
  const query = { types: 'heart_rate', resolution, limit };
  const target = (userId: string) =>
    targetOf(product, [samplesPath(userId, { first: 0, count: sizes.days }, query)]);
  const { a, b } = await latencies(bench, { a: target(plan.hertzId), b: target(plan.minuteId) });
  const goal = resolution === '1hour' ? { goal: { most: 2 } } : {};
  return pairRow({ what: `${resolution} over a year, page of ${limit}`, a, b, unit: 'ms', ...goal });
}
