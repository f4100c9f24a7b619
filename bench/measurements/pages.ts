import { join } from 'node:path';
import { z } from 'zod';
import { dayMs } from '../../domain/time/time.ts';
import type { Planning } from '../../mixins/database/database.ts';
import type { Bench, Measurement } from '../bench.ts';
import { startChild } from '../child.ts';
import { startMs } from '../dataset/plan.ts';
import { Usage } from '../parent.ts';
import { type Days, samplesPath, spread, targetOf } from '../requests.ts';
import { inRounds } from '../rounds.ts';
import { figure, pairRow } from '../row.ts';
import { type CpuMeter, measureThroughput, type Throughput } from '../throughput.ts';

const limit = 50;
const pool = 12;

/** A raw page over HTTP, against the same SQL through a plain pool of connections. */
export const pages: Measurement = {
  name: 'pages',
  async run(bench) {
    const rows = [...(await against(bench, 'each')), ...(await against(bench, 'once'))];
    return {
      title: 'A raw page over HTTP',
      about: `Answers a second over 16 keep-alive connections: first page of heart_rate, ${limit} samples, total_count. A: the product, all services in one process, with API key and limit. B: node:http and a pool of ${pool} with the same statements and nothing else; then the same with a pool that plans a statement once, as the product's does. CPU: of the process that answers.`,
      rows,
    };
  },
};

async function against(bench: Bench, planning: Planning) {
  const plain = startChild(join(import.meta.dirname, '../plain-process.ts'));
  try {
    const request = { kind: 'listen', database_url: bench.databaseUrl, pool, planning };
    const { port } = await plain.ask(z.object({ port: z.int() }), request);
    const server = { url: `http://127.0.0.1:${port}`, usage: () => plain.ask(Usage, { kind: 'usage' }) };
    const rows = [];
    for (const one of cases(bench)) rows.push(await compare(bench, server, one, planning));
    return rows;
  } finally {
    await plain.stop();
  }
}

interface Case {
  readonly what: string;
  readonly userId: string;
  readonly ranges: readonly Days[];
}

function cases(bench: Bench): Case[] {
  const { plan, sizes } = bench;
  const days = spread(bench, 1, 200);
  return [
    { what: 'a day of 1/min', userId: plan.minuteId, ranges: days },
    { what: `${sizes.days} days of 1/min`, userId: plan.minuteId, ranges: [{ first: 0, count: sizes.days }] },
    { what: 'a day of 1 Hz', userId: plan.hertzId, ranges: days },
    { what: `${sizes.days} days of 1 Hz`, userId: plan.hertzId, ranges: [{ first: 0, count: sizes.days }] },
  ];
}

async function compare(
  bench: Bench,
  plain: CpuMeter & { url: string },
  { what, userId, ranges }: Case,
  planning: Planning,
) {
  const query = { types: 'heart_rate', limit };
  const paths = ranges.map((days) => samplesPath(userId, days, query));
  const ours = measureThroughput(bench, targetOf(bench.product, paths), [bench.product]);
  const requests = ranges.map((days) => ({ path: plainPath(userId, days) }));
  const theirs = measureThroughput(bench, { url: plain.url, requests }, [plain]);
  const { a, b } = await inRounds(bench.sizes.throughputRounds, { a: ours.measure, b: theirs.measure });
  const notes = [cpuNote(ours), cpuNote(theirs)] as const;
  const goal = { least: 0.5 };
  return planning === 'each'
    ? pairRow({ what, a, b, unit: '/s', notes, goal })
    : pairRow({ what: `${what}; B plans once`, a, b, unit: '/s', notes });
}

function cpuNote(throughput: Throughput): string {
  return `(${figure(throughput.cpuMs().median, 'ms')} CPU each)`;
}

function plainPath(user: string, { first, count }: Days): string {
  const start = startMs + first * dayMs;
  return `/?user=${user}&start=${start}&end=${start + count * dayMs}&limit=${limit}`;
}
