import { cpus } from 'node:os';
import type { Bench, Measurement } from '../bench.ts';
import { canLimitCpu, childrenOf, limitCpu, removeLimits, smallShare } from '../cpu-quota.ts';
import type { LoadTarget } from '../load/load.ts';
import { startWorkers } from '../product.ts';
import { samplesPath, spread, targetOf } from '../requests.ts';
import { inRounds } from '../rounds.ts';
import { type Pair, pairRow, type Row } from '../row.ts';
import { connections, measureThroughput } from '../throughput.ts';

const limit = 100;
const goal = { least: 1.6 };

/** Two workers that share a port, against one process: with the cores as they are, and with a share of a core each. */
export const workers: Measurement = {
  name: 'workers',
  async run(bench) {
    const stops: (() => Promise<unknown>)[] = [];
    const start = async (WORKERS: string) => {
      const workers = await startWorkers({ databaseUrl: bench.databaseUrl, settings: { WORKERS } });
      stops.push(workers.stop);
      return workers;
    };
    const rows: Row[] = [];
    try {
      const two = await start('2');
      rows.push(...(await compare(bench, { a: two.url, b: bench.product.url, suffix: '' }, {})));
      if (canLimitCpu) {
        const one = await start('1');
        const pids = [...(await childrenOf(two.pid)), ...(await childrenOf(one.pid))];
        stops.push(() => removeLimits(pids));
        await limitCpu(pids);
        const suffix = `, ${smallShare} of a core for each worker`;
        rows.push(...(await compare(bench, { a: two.url, b: one.url, suffix }, { goal })));
      }
    } finally {
      // In this order: a limit is removed once its process has ended.
      for (const stop of stops) await stop();
    }
    return {
      title: 'Workers',
      about: `Answers a second over ${connections} connections. A: two workers that share a port. B: one process. Load and database share the ${cpus().length} cores with them; a limit of CPU for each worker leaves the load and the database what they need.`,
      rows,
    };
  },
};

interface Compared {
  readonly a: string;
  readonly b: string;
  readonly suffix: string;
}

async function compare(bench: Bench, { a, b, suffix }: Compared, aim: Pick<Pair, 'goal'>): Promise<Row[]> {
  const rows = [];
  for (const [what, paths] of Object.entries(pathsOf(bench))) {
    const target = (url: string): LoadTarget => targetOf({ url, key: bench.product.key }, paths);
    const rates = await inRounds(bench.sizes.throughputRounds, {
      a: measureThroughput(bench, target(a), []).measure,
      b: measureThroughput(bench, target(b), []).measure,
    });
    rows.push(pairRow({ what: `${what}${suffix}`, ...rates, unit: '/s', ...aim }));
  }
  return rows;
}

function pathsOf(bench: Bench): Readonly<Record<string, readonly string[]>> {
  const { minuteId, ordinaryIds } = bench.plan;
  const query = { types: 'heart_rate', limit };
  return {
    'page of a day of 1/min': spread(bench, 1, 200).map((days) => samplesPath(minuteId, days, query)),
    'user by id': ordinaryIds.map((id) => `/users/${id}`),
  };
}
