import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Checkout, openCheckout } from '../checkout.ts';
import { canLimitCpu, childrenOf, limitCpu, removeLimits, smallShare } from '../cpu-quota.ts';
import { databaseUsage } from '../database-cpu.ts';
import { emptyDatabase } from '../dataset/ensure.ts';
import { insertNights } from '../dataset/insert-records.ts';
import { type ConnectedUser, valuesPerDay } from '../ingest/bodies.ts';
import { createConnectedUsers, dayPushes, timePush } from '../ingest/pushes.ts';
import { connections } from '../lines.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { megabytesOf, type Product, startWorkers } from '../product.ts';
import { addressOf, PageHead, samplesPath, spread, summariesPath, targetOf } from '../requests.ts';
import type { Single } from '../row.ts';

/** This checkout against another one, each on a data set of the same values. */
export const commits: Measurement = {
  name: 'commits',
  title: 'Two commits',
  isOnDemand: true,
  async *lines(bench) {
    const other = await openCheckout(bench.against);
    yield `Answers a second over ${connections} connections, and the time of 99 of 100 of them, all services in one process, in rounds in turn. CPU: of Node.js and PostgreSQL. A: this checkout. B: ${other.name}. One at a time: over one connection.`;
    const databaseUrl = await datasetOf(bench, other);
    const pool = bench.connect(databaseUrl);
    for (const one of [bench.pool, pool]) await insertNights(one, bench.plan);
    const product = await bench.start({ databaseUrl, folder: other.folder });
    const ours = [bench.product, databaseUsage(bench.pool)];
    const theirs = [product, databaseUsage(pool)];
    for (const [what, parts] of [
      ['idle', ours],
      ['idle, other commit', theirs],
    ] as const)
      yield {
        what: `${what}: CPU in percent of a core`,
        value: await idlePercent(parts),
        unit: '',
        goal: { most: 4 },
      };
    yield {
      what: 'memory at rest',
      figures: [[(await megabytesOf(bench.product)).rss], [(await megabytesOf(product)).rss]],
      unit: 'MB',
      goal: { most: 0.95 },
    };
    const cases = (await readCases(bench)).map((one) => ({
      ...one,
      rates: [targetOf(bench.product, one.paths, ours), targetOf(product, one.paths, theirs)] as const,
    }));
    yield await equalAnswers(
      bench,
      product,
      cases.flatMap(({ paths }) => paths),
    );
    for (const { what, rates, cpu } of cases) {
      bench.say(`  ${what}`);
      yield { what, rates, p99: { most: 1 }, cpu: { most: cpu } };
      yield { what: `${what}: one at a time`, times: rates };
    }
    if (!canLimitCpu) return;
    // Where the load and the database need the rest of the cores, half the CPU of an answer does not double the answers.
    const pids = [bench.product.pid, product.pid];
    bench.onEnd(() => removeLimits(pids));
    await limitCpu(pids);
    for (const { what, rates } of cases.slice(0, 2))
      yield { what: `${what}, ${smallShare} of a core for each`, rates };
  },
};

/** The data set of another checkout is built by its own code, because its schema is another one. */
async function datasetOf({ adminUrl, sizes, say }: Bench, { folder, name }: Checkout): Promise<string> {
  say(`Data set of ${name}`);
  const code = `import { ensureDataset } from './bench/dataset/ensure.ts';
    const place = { adminUrl: process.env.ADMIN_URL, say: console.error };
    console.log(await ensureDataset(place, JSON.parse(process.env.SIZES)));`;
  const suffix = name.replaceAll(/[^a-z0-9]+/g, '').slice(-8);
  const env = {
    ...process.env,
    ADMIN_URL: adminUrl,
    SIZES: JSON.stringify({ ...sizes, name: `${sizes.name}_${suffix}` }),
  };
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, env });
  return stdout.trim();
}

const settlingMs = 30_000;

async function idlePercent(parts: NonNullable<ReturnType<typeof targetOf>['parts']>): Promise<number> {
  const cpuMs = async () => {
    const usages = await Promise.all(parts.map((part) => part.usage()));
    return usages.reduce((sum, { cpu_ms }) => sum + cpu_ms, 0);
  };
  await sleep(settlingMs);
  const before = await cpuMs();
  await sleep(settlingMs);
  return (100 * ((await cpuMs()) - before)) / settlingMs;
}

/** The reads of which two commits are compared, and the most CPU of an answer that A may take, in terms of B. */
async function readCases({ plan, product, sizes }: Bench) {
  const { minuteId, hertzId, totalsId, ordinaryIds } = plan;
  const year = { first: 0, count: sizes.days };
  const month = Math.min(30, sizes.days - 1);
  const query = { types: 'heart_rate', limit: 100 };
  const pages = (userId: string, days: number, more = {}) =>
    spread(sizes, days, 200).map((range) => samplesPath(userId, range, { ...query, ...more }));
  const nights = spread(sizes, month, 20);
  const of = (what: string, paths: readonly string[], cpu = 1) => ({ what, paths, cpu });
  return [
    of('a day of 1/min, 100 items', pages(minuteId, 1), 0.9),
    of(
      'user by id',
      ordinaryIds.map((id) => `/users/${id}`),
      0.9,
    ),
    of(`${month} days of 1/min`, pages(minuteId, month)),
    of(`1hour of ${month} days`, pages(minuteId, month, { resolution: '1hour' })),
    of(`${sizes.days} days of 1/min`, [samplesPath(minuteId, year, query)]),
    of('a day of 1 Hz', pages(hertzId, 1)),
    of('connections of a user', [`/users/${minuteId}/connections`]),
    of('users list', ['/users?limit=20']),
    of('users search', [`/users?limit=20&search=${await addressOf(product, -1)}`]),
    of(`activity of ${sizes.days} days, from samples`, [summariesPath(minuteId, 'activity', year)]),
    of(`activity of ${sizes.days} days, from totals`, [summariesPath(totalsId, 'activity', year)]),
    of(
      `sleep of ${month} nights`,
      nights.map((range) => summariesPath(minuteId, 'sleep', range)),
    ),
  ];
}

async function equalAnswers(bench: Bench, other: Product, paths: readonly string[]): Promise<Single> {
  let equal = 0;
  for (const path of paths) {
    const [a, b] = [await bench.product.get(path), await other.get(path)];
    if (JSON.stringify(a) === JSON.stringify(b)) equal += 1;
    else bench.say(`  the answers differ: ${path}`);
  }
  return { what: `equal answers, of ${paths.length}`, value: equal, unit: '' };
}

const run = promisify(execFile);
/** Senders of pushes at once. */
export const senders = 8;
const daysPerRound = 2;
/** Users of whom one day each is stored for a figure of CPU. */
const walkers = 20;
/** Two looks of the processes at whether they are idle. */
const idleMs = 40_000;

/** What is stored in a second: against another commit, and by two workers against one process. */
export const stores: Measurement = {
  name: 'stores',
  title: 'Storing in two commits, and with two workers',
  isOnDemand: true,
  async *lines(bench) {
    const other = await openCheckout(bench.against);
    yield `Values a second of pushes of ${senders} senders at once, in rounds in turn, each side on a database of its own. One process runs all services, or two workers that share a port do. Other commit: ${other.name}.`;
    const common = { unit: 'values/s', rounds: bench.sizes.throughputRounds, goal: { least: 0.95 } } as const;
    const [ours, theirs] = [
      await storingProcess(bench, 'stores'),
      await storingProcess(bench, 'stores_other', other.folder),
    ];
    yield { ...common, what: 'values stored (B: the other commit)', sides: [ours.measure, theirs.measure] };
    yield {
      what: `CPU of the store of ${walkers} user-days`,
      unit: 'ms',
      rounds: bench.sizes.throughputRounds,
      goal: { most: 1 },
      sides: [ours.cpuOfDays, theirs.cpuOfDays],
    };
    yield {
      what: 'a day of a user, from its push until an answer has it',
      unit: 'ms',
      goal: { most: 1 },
      sides: [ours.dayReadable, theirs.dayReadable],
    };
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
  const databaseUrl = await migrated(bench, part, folder);
  const product = await bench.start({ databaseUrl, folder });
  const users = await createConnectedUsers(product, 'sender', senders);
  const walking = await createConnectedUsers(product, 'walker', walkers);
  return {
    measure: storeRate(bench, product.url, users),
    cpuOfDays: storeCpu(bench, product, walking, databaseUsage(bench.connect(databaseUrl))),
    dayReadable: dayReadable(product, await createConnectedUsers(product, 'reader', 1)),
    stop: product.stop,
  };
}

/** The CPU in ms, of Node.js and PostgreSQL, of the store of one day of each user. Each round sends the next day. */
function storeCpu(
  { load }: Bench,
  product: Product,
  users: readonly ConnectedUser[],
  database: ReturnType<typeof databaseUsage>,
): () => Promise<number> {
  let day = 0;
  const cpuMs = async () => (await product.usage()).cpu_ms + (await database.usage()).cpu_ms;
  return async () => {
    const requests = dayPushes(users, day, 1);
    day += 1;
    const before = await cpuMs();
    await load.sendLoad(
      { url: product.url, requests },
      { connections: senders, most_requests: requests.length },
    );
    return (await cpuMs()) - before;
  };
}

/** The time in ms from the push of a day until its last hour has samples in an answer. Each round sends the next day. */
function dayReadable(product: Product, users: readonly ConnectedUser[]): () => Promise<number> {
  let day = 0;
  return async () => {
    const [request] = dayPushes(users, day, 1);
    const range = { first: day, count: 1 };
    const path = samplesPath(users[0]?.userId ?? '', range, { types: 'heart_rate', limit: 1 });
    day += 1;
    const began = performance.now();
    await timePush(product, request?.body ?? '');
    for (let tries = 0; tries < 1000; tries++) {
      const { pagination } = PageHead.parse(await product.get(path));
      if (pagination.total_count === valuesPerDay) return performance.now() - began;
    }
    throw new Error('the day of a user cannot be read after its push');
  };
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
