import { cpus } from 'node:os';
import { serviceNames } from '../../stack/processes/services.ts';
import type { Bench, Measurement } from '../bench.ts';
import type { LoadTarget } from '../load/load.ts';
import { type Product, startProduct, startServices } from '../product.ts';
import { samplesPath, spread, targetOf } from '../requests.ts';
import { inRounds } from '../rounds.ts';
import { pairRow, type Row } from '../row.ts';
import { connections, measureThroughput, type Throughput } from '../throughput.ts';

const limit = 50;

/** All services in one process, against a gateway process and two of `timeseries` over the bus. */
export const processes: Measurement = {
  name: 'processes',
  async run(bench) {
    return {
      title: 'One process and three',
      about: `Answers a second over ${connections} connections: a raw page of a day of 1/min. A: the gateway and all services but timeseries in one process, timeseries in two more, over NATS. B: everything in one process. CPU: of one core, by all processes of the product; the machine has ${cpus().length}, which load and database share.`,
      rows: bench.natsUrl === null ? [] : await measure(bench, bench.natsUrl),
    };
  },
};

async function measure(bench: Bench, natsUrl: string): Promise<Row[]> {
  const { databaseUrl, product, sizes } = bench;
  const rest = serviceNames.filter((name) => name !== 'timeseries');
  const workers = [1, 2].map(() => startServices({ databaseUrl, natsUrl, services: ['timeseries'] }));
  const front = await startProduct({ databaseUrl, natsUrl, services: rest });
  try {
    const three = measureThroughput(bench, pagesOf(bench, front), [front, ...workers]);
    const one = measureThroughput(bench, pagesOf(bench, product), [product]);
    const { a, b } = await inRounds(sizes.throughputRounds, { a: three.measure, b: one.measure });
    const notes = [shareText(three), shareText(one)] as const;
    return [
      pairRow({ what: 'answers a second', a, b, unit: '/s', notes }),
      pairRow({ what: 'CPU of the product for an answer', a: three.cpuMs(), b: one.cpuMs(), unit: 'ms' }),
    ];
  } finally {
    await Promise.all([front, ...workers].map((part) => part.stop()));
  }
}

function pagesOf(bench: Bench, front: Product): LoadTarget {
  const query = { types: 'heart_rate', limit };
  const paths = spread(bench, 1, 200).map((range) => samplesPath(bench.plan.minuteId, range, query));
  return targetOf(front, paths);
}

function shareText(throughput: Throughput): string {
  return `(CPU ${throughput
    .shares()
    .map((share) => `${Math.round(share * 100)} %`)
    .join(' + ')})`;
}
