import { cpus } from 'node:os';
import type { Bench, Measurement } from '../bench.ts';
import type { LoadTarget } from '../load/load.ts';
import { startWorkers } from '../product.ts';
import { samplesPath, spread, targetOf } from '../requests.ts';
import { inRounds } from '../rounds.ts';
import { type Pair, pairRow } from '../row.ts';
import { connections, measureThroughput } from '../throughput.ts';

const limit = 100;
const goal: Pair['goal'] = { least: 1.6 };

/** Two workers that share a port, against one process. */
export const workers: Measurement = {
  name: 'workers',
  async run(bench) {
    const two = await startWorkers({ databaseUrl: bench.databaseUrl, settings: { WORKERS: '2' } });
    try {
      const rows = [];
      for (const [what, paths] of Object.entries(pathsOf(bench))) {
        const target = (url: string): LoadTarget => targetOf({ url, key: bench.product.key }, paths);
        const rates = await inRounds(bench.sizes.throughputRounds, {
          a: measureThroughput(bench, target(two.url), []).measure,
          b: measureThroughput(bench, target(bench.product.url), []).measure,
        });
        rows.push(pairRow({ what, ...rates, unit: '/s', goal }));
      }
      return {
        title: 'Workers',
        about: `Answers a second over ${connections} connections. A: two workers that share a port. B: one process. Load and database share the ${cpus().length} cores with them.`,
        rows,
      };
    } finally {
      await two.stop();
    }
  },
};

function pathsOf(bench: Bench): Readonly<Record<string, readonly string[]>> {
  const { minuteId, ordinaryIds } = bench.plan;
  const query = { types: 'heart_rate', limit };
  return {
    'page of a day of 1/min': spread(bench, 1, 200).map((days) => samplesPath(minuteId, days, query)),
    'user by id': ordinaryIds.map((id) => `/users/${id}`),
  };
}
