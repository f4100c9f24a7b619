import type { Bench, Measurement } from '../bench.ts';
import { openCheckout } from '../checkout.ts';
import { type ReadCase, readCases } from '../commits/read-cases.ts';
import { canLimitCpu, limitCpu, removeLimits, smallShare } from '../cpu-quota.ts';
import { insertNights } from '../dataset/insert-nights.ts';
import { type Product, startProduct } from '../product.ts';
import { latencies, targetOf } from '../requests.ts';
import { inRounds } from '../rounds.ts';
import { figure, pairRow, type Row } from '../row.ts';
import { connections, measureThroughput, type Throughput } from '../throughput.ts';

/** This checkout against another one, on the same data. */
export const commits: Measurement = {
  name: 'commits',
  async run(bench) {
    const other = await openCheckout(bench.against);
    try {
      await insertNights(bench.pool, bench.plan);
      const rows = await reads(bench, other.folder);
      return {
        title: 'Two commits',
        about: `Answers a second over ${connections} connections, and the time of 99 of 100 of them, all services in one process, in rounds in turn. A: this checkout. B: ${other.name}. One at a time: over one connection.`,
        rows,
      };
    } finally {
      await other.remove();
    }
  },
};

async function reads(bench: Bench, folder: string): Promise<Row[]> {
  const other = await startProduct({ databaseUrl: bench.databaseUrl, folder });
  try {
    const cases = await readCases(bench);
    const rows = [await equalAnswers(bench, other, cases)];
    for (const one of cases) rows.push(...(await compare(bench, other, one)));
    if (canLimitCpu) rows.push(...(await limited(bench, other, cases)));
    return rows;
  } finally {
    await other.stop();
  }
}

// Where the load and the database need the rest of the cores, half the CPU of an answer does not double the answers.
async function limited(bench: Bench, other: Product, cases: readonly ReadCase[]): Promise<Row[]> {
  const pids = [bench.product.pid, other.pid];
  const rows: Row[] = [];
  await limitCpu(pids);
  try {
    for (const { what, paths, least } of cases.filter((one) => one.least > 1)) {
      bench.say(`  ${what}, limited`);
      const [a, b] = throughputs(bench, other, paths);
      const rates = await inRounds(bench.sizes.throughputRounds, { a: a.measure, b: b.measure });
      const name = `${what}, ${smallShare} of a core for each`;
      rows.push(
        pairRow({ what: name, ...rates, unit: '/s', notes: [cpuNote(a), cpuNote(b)], goal: { least } }),
      );
    }
  } finally {
    await removeLimits(pids);
  }
  return rows;
}

function throughputs(bench: Bench, other: Product, paths: readonly string[]): [Throughput, Throughput] {
  const of = (product: Product) => measureThroughput(bench, targetOf(product, paths), [product]);
  return [of(bench.product), of(other)];
}

async function compare(bench: Bench, other: Product, { what, paths, least }: ReadCase): Promise<Row[]> {
  bench.say(`  ${what}`);
  const [a, b] = throughputs(bench, other, paths);
  const rates = await inRounds(bench.sizes.throughputRounds, { a: a.measure, b: b.measure });
  const alone = await latencies(bench, { a: targetOf(bench.product, paths), b: targetOf(other, paths) });
  const notes = [cpuNote(a), cpuNote(b)] as const;
  return [
    pairRow({ what, ...rates, unit: '/s', notes, goal: { least } }),
    pairRow({ what: `${what}: p99`, a: a.p99Ms(), b: b.p99Ms(), unit: 'ms', goal: { most: 1 } }),
    pairRow({ what: `${what}: one at a time`, ...alone, unit: 'ms' }),
  ];
}

async function equalAnswers(bench: Bench, other: Product, cases: readonly ReadCase[]): Promise<Row> {
  const paths = cases.flatMap((one) => one.paths);
  let equal = 0;
  for (const path of paths) {
    const [a, b] = [await bench.product.get(path), await other.get(path)];
    if (JSON.stringify(a) === JSON.stringify(b)) equal += 1;
    else bench.say(`  the answers differ: ${path}`);
  }
  const verdict = equal === paths.length ? 'met' : 'missed';
  return {
    what: 'equal answers',
    a: `${paths.length}`,
    b: `${equal} equal`,
    ratio: '',
    goal: 'all',
    verdict,
  };
}

function cpuNote(throughput: Throughput): string {
  return `(${figure(throughput.cpuMs().median, 'ms')} CPU each)`;
}
