import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openCheckout } from '../checkout.ts';
import { canLimitCpu, childrenOf, limitCpu, removeLimits, smallShare } from '../cpu-quota.ts';
import { emptyDatabase } from '../dataset/ensure.ts';
import { insertNights } from '../dataset/insert-records.ts';
import { type ConnectedUser, valuesPerDay } from '../ingest/bodies.ts';
import { createConnectedUsers, dayPushes } from '../ingest/pushes.ts';
import { connections } from '../lines.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { type Product, startWorkers } from '../product.ts';
import { addressOf, samplesPath, spread, summariesPath, targetOf } from '../requests.ts';
import { countRow, type Row } from '../row.ts';

/** This checkout against another one, on the same data. */
export const commits: Measurement = {
  name: 'commits',
  title: 'Two commits',
  isOnDemand: true,
  async *lines(bench) {
    const other = await openCheckout(bench.against);
    bench.onEnd(other.remove);
    yield `Answers a second over ${connections} connections, and the time of 99 of 100 of them, all services in one process, in rounds in turn. A: this checkout. B: ${other.name}. One at a time: over one connection.`;
    await insertNights(bench.pool, bench.plan);
    const product = await bench.start({ databaseUrl: bench.databaseUrl, folder: other.folder });
    const cases = (await readCases(bench)).map((one) => ({
      ...one,
      rates: [targetOf(bench.product, one.paths), targetOf(product, one.paths)] as const,
    }));
    yield await equalAnswers(
      bench,
      product,
      cases.flatMap(({ paths }) => paths),
    );
    for (const { what, rates, least } of cases) {
      bench.say(`  ${what}`);
      yield { what, rates, p99: { most: 1 }, goal: { least } };
      yield { what: `${what}: one at a time`, times: rates };
    }
    if (!canLimitCpu) return;
    // Where the load and the database need the rest of the cores, half the CPU of an answer does not double the answers.
    const pids = [bench.product.pid, product.pid];
    bench.onEnd(() => removeLimits(pids));
    await limitCpu(pids);
    for (const { what, rates, least } of cases.filter((one) => one.least > 1))
      yield { what: `${what}, ${smallShare} of a core for each`, rates, goal: { least } };
  },
};

/** Equal, within the noise of a comparison. */
const notWorse = 0.95;

/** The reads of which two commits are compared, and how many times as many answers a second A must give. */
async function readCases({ plan, product, sizes }: Bench) {
  const { minuteId, hertzId, totalsId, ordinaryIds } = plan;
  const year = { first: 0, count: sizes.days };
  const query = { types: 'heart_rate', limit: 100 };
  const days = (userId: string) => spread(sizes, 1, 200).map((range) => samplesPath(userId, range, query));
  const nights = spread(sizes, Math.min(30, sizes.days - 1), 20);
  const of = (what: string, paths: readonly string[], least = notWorse) => ({ what, paths, least });
  return [
    of('a day of 1/min, 100 items', days(minuteId), 2),
    of(`${sizes.days} days of 1/min`, [samplesPath(minuteId, year, query)]),
    of('a day of 1 Hz', days(hertzId)),
    of(
      'user by id',
      ordinaryIds.map((id) => `/users/${id}`),
      2.5,
    ),
    of('connections of a user', [`/users/${minuteId}/connections`]),
    of('users list', ['/users?limit=20']),
    of('users search', [`/users?limit=20&search=${await addressOf(product, -1)}`]),
    of(`activity of ${sizes.days} days, from samples`, [summariesPath(minuteId, 'activity', year)], 1.5),
    of(`activity of ${sizes.days} days, from totals`, [summariesPath(totalsId, 'activity', year)], 1.5),
    of(
      'sleep of 30 nights',
      nights.map((range) => summariesPath(minuteId, 'sleep', range)),
      1,
    ),
  ];
}

async function equalAnswers(bench: Bench, other: Product, paths: readonly string[]): Promise<Row> {
  let equal = 0;
  for (const path of paths) {
    const [a, b] = [await bench.product.get(path), await other.get(path)];
    if (JSON.stringify(a) === JSON.stringify(b)) equal += 1;
    else bench.say(`  the answers differ: ${path}`);
  }
  return countRow('equal answers', paths.length, equal, `${equal} equal`);
}

const run = promisify(execFile);
/** Senders of pushes at once. */
export const senders = 8;
const daysPerRound = 2;
/** Two looks of the processes at whether they are idle. */
const idleMs = 40_000;

/** What is stored in a second: against another commit, and by two workers against one process. */
export const stores: Measurement = {
  name: 'stores',
  title: 'Storing in two commits, and with two workers',
  isOnDemand: true,
  async *lines(bench) {
    const other = await openCheckout(bench.against);
    bench.onEnd(other.remove);
    yield `Values a second of pushes of ${senders} senders at once, in rounds in turn, each side on a database of its own. One process runs all services, or two workers that share a port do. Other commit: ${other.name}.`;
    const common = { unit: 'values/s', rounds: bench.sizes.throughputRounds, goal: { least: 0.95 } } as const;
    const [ours, theirs] = [
      await storingProcess(bench, 'stores'),
      await storingProcess(bench, 'stores_other', other.folder),
    ];
    yield { ...common, what: 'values stored (B: the other commit)', sides: [ours.measure, theirs.measure] };
    await Promise.all([ours.stop(), theirs.stop()]);
    const [two, one] = [await storingWorkers(bench), await storingProcess(bench, 'stores_one')];
    yield {
      ...common,
      what: 'values stored by two workers (B: by one process)',
      sides: [two.measure, one.measure],
    };
    const what = 'resident memory of two workers and their primary';
    const pids = [two.pid, ...(await childrenOf(two.pid))];
    yield { what: `${what}, right after it`, value: await residentMegabytes(pids), unit: 'MB' };
    await sleep(idleMs);
    const value = await residentMegabytes(pids);
    yield { what: `${what}, ${idleMs / 1000} s later`, value, unit: 'MB', goal: { most: 600 } };
  },
};

async function residentMegabytes(pids: readonly number[]): Promise<number> {
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8')));
  return texts.reduce((sum, text) => sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024, 0);
}

async function storingProcess(bench: Bench, part: string, folder = process.cwd()) {
  const product = await bench.start({ databaseUrl: await migrated(bench, part, folder), folder });
  const users = await createConnectedUsers(product, 'sender', senders);
  return { measure: storeRate(bench, product.url, users), stop: product.stop };
}

async function storingWorkers(bench: Bench) {
  const databaseUrl = await migrated(bench, 'stores_workers', process.cwd());
  const first = await bench.start({ databaseUrl });
  const users = await createConnectedUsers(first, 'sender', senders);
  await first.stop();
  const workers = bench.use(await startWorkers({ databaseUrl, settings: { WORKERS: '2' } }));
  return { measure: storeRate(bench, workers.url, users), pid: workers.pid };
}

/** Values a second that a gateway stores of pushes of several users. Each round sends other days, also the first one. */
export function storeRate(
  { load }: Bench,
  url: string,
  users: readonly ConnectedUser[],
): () => Promise<number> {
  let day = 0;
  return async () => {
    const requests = dayPushes(users, day, daysPerRound);
    day += daysPerRound;
    const bounds = { connections: senders, most_requests: requests.length };
    const { seconds } = await load.sendLoad({ url, requests }, bounds);
    return (requests.length * valuesPerDay) / seconds;
  };
}

/** A database for a process of a checkout. Services of two processes would share the queue of one. */
export async function migrated(bench: Bench, part: string, folder: string): Promise<string> {
  const DATABASE_URL = await emptyDatabase(bench, bench.sizes, part);
  await run(process.execPath, ['migrate.ts'], { cwd: folder, env: { ...process.env, DATABASE_URL } });
  return DATABASE_URL;
}
