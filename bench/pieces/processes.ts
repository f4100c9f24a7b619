import { cpus } from 'node:os';
import { serviceNames } from '../../stack/services.ts';
import type { Bench, Piece } from '../bench.ts';
import { type Product, type ProductProcess, startProduct, startServices } from '../product.ts';
import { connections, samplesPath, spread, targetOf } from '../requests.ts';
import { figuresOf, inRounds, median } from '../rounds.ts';
import { pairRow, type Row } from '../row.ts';

const limit = 50;

/** All services in one process, against the gateway's process and two of `timeseries` over the bus. */
export const processes: Piece = {
  name: 'processes',
  async run(bench) {
    return {
      title: 'One process and three',
      about: `Answers a second over ${connections} connections: a raw page of a day of 1/min. A: the gateway and all services but timeseries in one process, timeseries in two more, over NATS. B: everything in one process. CPU: of one core, by all processes of the product; the machine has ${cpus().length}, which load and database share.`,
      rows: bench.natsUrl === null ? [] : await measure(bench, bench.natsUrl),
    };
  },
};

interface Sample {
  readonly rate: number;
  readonly cpu: readonly number[];
}

async function measure(bench: Bench, natsUrl: string): Promise<Row[]> {
  const { databaseUrl } = bench;
  const rest = serviceNames.filter((name) => name !== 'timeseries');
  const workers = [1, 2].map(() => startServices({ databaseUrl, natsUrl, services: ['timeseries'] }));
  const front = await startProduct({ databaseUrl, natsUrl, services: rest });
  const three: Sample[] = [];
  const one: Sample[] = [];
  try {
    const record = (into: Sample[], front: Product, parts: readonly ProductProcess[]) => async () => {
      const sample = await loaded(bench, front, parts);
      into.push(sample);
      return sample.rate;
    };
    const { a, b } = await inRounds(bench.sizes.rounds, {
      a: record(three, front, [front, ...workers]),
      b: record(one, bench.product, [bench.product]),
    });
    const [ofThree, ofOne] = [three, one].map((samples) => samples.slice(1)); // the first round does not count
    const notes = [cpuText(ofThree ?? []), cpuText(ofOne ?? [])] as const;
    return [
      pairRow({ what: 'answers a second', a, b, unit: '/s', notes }),
      costRow(ofThree ?? [], ofOne ?? []),
    ];
  } finally {
    await Promise.all([front, ...workers].map((part) => part.stop()));
  }
}

async function loaded(
  bench: Bench,
  front: Pick<Product, 'url' | 'key'>,
  parts: readonly ProductProcess[],
): Promise<Sample> {
  const { load, plan, sizes } = bench;
  const query = { types: 'heart_rate', limit };
  const paths = spread(bench, 1, 200).map((range) => samplesPath(plan.minuteId, range, query));
  const before = await Promise.all(parts.map((part) => part.usage()));
  const bounds = { connections, most_ms: sizes.loadMs };
  const outcome = await load.flood(targetOf(front, paths), bounds);
  const after = await Promise.all(parts.map((part) => part.usage()));
  const cpu = after.map(
    ({ cpu_ms }, index) => (cpu_ms - (before[index]?.cpu_ms ?? 0)) / 1000 / outcome.seconds,
  );
  return { rate: outcome.requests / outcome.seconds, cpu };
}

function cpuText(samples: readonly Sample[]): string {
  const count = samples[0]?.cpu.length ?? 0;
  const each = Array.from({ length: count }, (_, index) => median(samples.map(({ cpu }) => cpu[index] ?? 0)));
  return `(CPU ${each.map((part) => `${Math.round(part * 100)} %`).join(' + ')})`;
}

function costRow(three: readonly Sample[], one: readonly Sample[]): Row {
  const cost = (samples: readonly Sample[]) =>
    figuresOf(samples.map(({ rate, cpu }) => (1000 * cpu.reduce((sum, part) => sum + part, 0)) / rate));
  return pairRow({ what: 'CPU of the product for an answer', a: cost(three), b: cost(one), unit: 'ms' });
}
