import { cpus } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { dayMs } from '../../domain/time/time.ts';
import { serviceNames } from '../../stack/processes/services.ts';
import { startChild } from '../child.ts';
import { canLimitCpu, childrenOf, limitCpu, removeLimits, smallShare } from '../cpu-quota.ts';
import { startMs } from '../dataset/plan.ts';
import { connections } from '../lines.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { Usage } from '../parent.ts';
import { startServices, startWorkers } from '../product.ts';
import { samplesPath, spread, targetOf } from '../requests.ts';

const answers = `Answers a second over ${connections} connections`;

/** Pages of heart rates of the user at 1/min, each of another day. */
function dayPages({ plan, sizes }: Bench, limit = 50): string[] {
  return spread(sizes, 1, 200).map((range) =>
    samplesPath(plan.minuteId, range, { types: 'heart_rate', limit }),
  );
}

/** A raw page over HTTP, against the same SQL through a plain pool of connections. */
export const pages: Measurement = {
  name: 'pages',
  title: 'A raw page over HTTP',
  async *lines({ databaseUrl, plan, product, sizes, use }) {
    const [limit, pool] = [50, 12];
    yield `${answers}: first page of heart_rate, ${limit} samples, total_count. A: the product, all services in one process, with API key and limit. B: node:http and a pool of ${pool} with the same statements and nothing else; then the same with a pool that plans a statement once, as the product's does. CPU: of the process that answers.`;
    const days = spread(sizes, 1, 200);
    const year = [{ first: 0, count: sizes.days }];
    for (const planning of ['each', 'once'] as const) {
      const plain = use(startChild(join(import.meta.dirname, '../plain-process.ts')));
      const listen = { kind: 'listen', database_url: databaseUrl, pool, planning };
      const url = await plain.ask(z.url(), listen);
      const parts = [{ usage: () => plain.ask(Usage, { kind: 'usage' }) }];
      for (const [what, userId, ranges] of [
        ['a day of 1/min', plan.minuteId, days],
        [`${sizes.days} days of 1/min`, plan.minuteId, year],
        ['a day of 1 Hz', plan.hertzId, days],
        [`${sizes.days} days of 1 Hz`, plan.hertzId, year],
      ] as const) {
        const paths = ranges.map((range) => samplesPath(userId, range, { types: 'heart_rate', limit }));
        const requests = ranges.map(({ first, count }) => {
          const start = startMs + first * dayMs;
          return { path: `/?user=${userId}&start=${start}&end=${start + count * dayMs}&limit=${limit}` };
        });
        yield {
          what: planning === 'each' ? what : `${what}; B plans once`,
          rates: [targetOf(product, paths), { url, requests, parts }],
          goal: { least: planning === 'each' ? 0.5 : 0.75 },
        };
      }
    }
  },
};

/** All services in one process, against a gateway process and two of `timeseries` over the bus. */
export const processes: Measurement = {
  name: 'processes',
  title: 'One process and three',
  async *lines(bench) {
    const { databaseUrl, natsUrl, product, start, use } = bench;
    yield `${answers}: a raw page of a day of 1/min. A: the gateway and all services but timeseries in one process, timeseries in two more, over NATS. B: everything in one process. CPU: by all processes of the product; the machine has ${cpus().length} cores, which load and database share.`;
    if (natsUrl === null) return;
    const rest = serviceNames.filter((name) => name !== 'timeseries');
    const two = [1, 2].map(() => use(startServices({ databaseUrl, natsUrl, services: ['timeseries'] })));
    const front = await start({ databaseUrl, natsUrl, services: rest });
    const paths = dayPages(bench);
    await front.untilServed(paths[0] ?? '');
    const rates = [targetOf(front, paths, [front, ...two]), targetOf(product, paths)] as const;
    yield { what: 'answers a second', rates };
  },
};

/** Two workers that share a port, against one process: with the cores as they are, and with a share of a core each. */
export const workers: Measurement = {
  name: 'workers',
  title: 'Workers',
  async *lines(bench) {
    const { databaseUrl, onEnd, plan, product, use } = bench;
    yield `${answers}. A: two workers that share a port. B: one process. Load and database share the ${cpus().length} cores with them; a limit of CPU for each worker leaves the load and the database what they need.`;
    const cases = [
      ['page of a day of 1/min', dayPages(bench, 100)],
      ['user by id', plan.ordinaryIds.map((id) => `/users/${id}`)],
    ] as const;
    const start = async (WORKERS: string) => use(await startWorkers({ databaseUrl, settings: { WORKERS } }));
    const at = (url: string, paths: readonly string[]) => targetOf({ url, key: product.key }, paths);
    // A limit is removed once its process has ended: what is kept first ends last.
    let limited: number[] = [];
    onEnd(() => removeLimits(limited));
    const two = await start('2');
    for (const [what, paths] of cases) yield { what, rates: [at(two.url, paths), at(product.url, paths)] };
    if (!canLimitCpu) return;
    const one = await start('1');
    limited = [...(await childrenOf(two.pid)), ...(await childrenOf(one.pid))];
    await limitCpu(limited);
    for (const [what, paths] of cases)
      yield {
        what: `${what}, ${smallShare} of a core for each worker`,
        rates: [at(two.url, paths), at(one.url, paths)],
        goal: { least: 1.6 },
      };
  },
};

/** The cost of metrics for requests. */
export const figures: Measurement = {
  name: 'figures',
  title: 'Figures for Prometheus',
  isOnDemand: true,
  async *lines(bench) {
    const { databaseUrl, start } = bench;
    yield `${answers}: a raw page of a day of 1/min, all services in one process. A: with METRICS_PORT. B: without.`;
    const watched = await start({ databaseUrl, settings: { METRICS_PORT: '0' } });
    const bare = await start({ databaseUrl });
    const paths = dayPages(bench);
    const rates = [targetOf(watched, paths), targetOf(bare, paths)] as const;
    yield { what: 'answers a second', rates, goal: { least: 0.95 } };
  },
};
