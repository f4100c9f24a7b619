import type { Bench, Measurement } from '../bench.ts';
import { startProduct } from '../product.ts';
import { samplesPath, spread, targetOf } from '../requests.ts';
import { inRounds } from '../rounds.ts';
import { pairRow } from '../row.ts';
import { connections, measureThroughput } from '../throughput.ts';

/** Shorter measurements are not meaningful, whatever the size of the data set. */
const leastMs = 600;

/** The cost of metrics for requests. */
export const figures: Measurement = {
  name: 'figures',
  async run(bench) {
    const { databaseUrl } = bench;
    const settings = { METRICS_PORT: '0' };
    const [watched, bare] = [
      await startProduct({ databaseUrl, settings }),
      await startProduct({ databaseUrl }),
    ];
    try {
      const sized = { ...bench, sizes: { ...bench.sizes, loadMs: Math.max(leastMs, bench.sizes.loadMs) } };
      const [a, b] = [watched, bare].map((one) =>
        measureThroughput(sized, targetOf(one, pathsOf(sized)), [one]),
      );
      if (a === undefined || b === undefined) throw new Error('there is no product to measure');
      const rates = await inRounds(bench.sizes.throughputRounds, { a: a.measure, b: b.measure });
      return {
        title: 'Figures for Prometheus',
        about: `Answers a second over ${connections} connections: a raw page of a day of 1/min, all services in one process. A: with METRICS_PORT. B: without.`,
        rows: [
          pairRow({ what: 'answers a second', ...rates, unit: '/s', goal: { least: 0.95 } }),
          pairRow({ what: 'CPU of the product for an answer', a: a.cpuMs(), b: b.cpuMs(), unit: 'ms' }),
        ],
      };
    } finally {
      await Promise.all([watched.stop(), bare.stop()]);
    }
  },
};

function pathsOf(bench: Bench): string[] {
  const query = { types: 'heart_rate', limit: 50 };
  return spread(bench, 1, 200).map((range) => samplesPath(bench.plan.minuteId, range, query));
}
