import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { dayMs, localDate } from '../../domain/time/time.ts';
import { serviceNames } from '../../stack/processes/services.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { insertLastNights, insertWearers } from '../dataset/insert-wearers.ts';
import { createConnectedUsers } from '../ingest/pushes.ts';
import type { Line } from '../lines.ts';
import type { Bench, Measurement } from '../measurement.ts';
import type { Product } from '../product.ts';
import { targetOf } from '../requests.ts';
import { senders, storeRate } from './commits.ts';

/** Users for whom a recomputation of each night is planned. */
const planned = 100_000;

/** A year of a user from nothing and from the cache, a night of many users, and what the service adds to the cost of a store. */
export const insights: Measurement = {
  name: 'insights',
  title: 'Insights',
  hasOwnData: true,
  isOnDemand: true,
  async *lines(bench) {
    const { days, wearers, users, history } = bench.sizes.insights;
    yield `From nothing: the first read of ${days} days of a user with nights, heart rate variability each 5 minutes of the night, steps each minute, and a run at 1 Hz every second day; ${wearers} users, one after the other. Cached: median time of an answer over one connection. A: ${days} days; B: one. Nights: ${users.toLocaleString('en')} users with ${history} days each get a night, and their jobs run; by that, those of ${planned.toLocaleString('en')} users. Storing: values a second of pushes of ${senders} senders at once, in rounds in turn, each side on a database of its own. A: all services in one process; B: all but insights.`;
    const { product, pool } = await bench.startEmpty('insights');
    const ids = Array.from({ length: wearers }, () => randomUUID());
    await insertWearers(pool, ids, days, 'full');
    yield* years(product, ids, days);
    yield await nightly(bench, product, pool);
    await product.stop();
    const [on, off] = [await storing(bench, 'on', []), await storing(bench, 'off', withoutInsights)];
    yield {
      what: 'values stored (B: without the service)',
      sides: [on, off],
      unit: 'values/s',
      rounds: bench.sizes.throughputRounds,
      goal: { least: 0.97 },
    };
  },
};

const withoutInsights = serviceNames.filter((name) => name !== 'insights');
const dateOf = (daysAgo: number) => localDate(Date.now() - daysAgo * dayMs, 0);
const pathOf = (id: string, what: string, days: number) =>
  `/users/${id}/${what}?start_date=${dateOf(days)}&end_date=${dateOf(0)}&limit=400`;

async function* years(product: Product, ids: readonly string[], days: number): AsyncGenerator<Line> {
  const took: number[] = [];
  for (const id of ids) took.push(await timeOf(product, pathOf(id, 'insights', days)));
  yield { what: 'a year from nothing', value: took, unit: 'ms', goal: { most: 2000 } };
  const [id = ''] = ids;
  for (const what of ['baselines', 'insights', 'training'])
    yield {
      what: `${what} of a cached year`,
      times: [targetOf(product, pathOf(id, what, days)), targetOf(product, pathOf(id, what, 1))],
      alone: { what: `${what}: the year`, goal: { most: 10 } },
    };
}

async function timeOf({ url, key }: Product, path: string): Promise<number> {
  const start = performance.now();
  const answer = await fetch(`${url}/api/v1${path}`, { headers: { 'X-API-Key': key } });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  return performance.now() - start;
}

async function nightly({ sizes }: Bench, product: Product, pool: pg.Pool): Promise<Line> {
  const { users, history } = sizes.insights;
  const ids = Array.from({ length: users }, () => randomUUID());
  await insertWearers(pool, ids, history, 'light');
  for (const id of ids) await timeOf(product, pathOf(id, 'insights', 1));
  await insertLastNights(pool, ids);
  const jobs = "from jobs.job where kind = 'insights.compute'";
  const waiting = async () =>
    (await pool.query<{ n: number }>(`select count(*)::int as n ${jobs}`)).rows[0]?.n ?? 0;
  await until(async () => (await waiting()) >= users);
  const start = performance.now();
  await pool.query("update jobs.job set run_at = now() where kind = 'insights.compute'");
  await until(async () => (await waiting()) === 0);
  const seconds = (performance.now() - start) / 1000;
  const minutes = (seconds * planned) / users / 60;
  return {
    what: `a night of ${users.toLocaleString('en')} users`,
    a: `${(users / seconds).toFixed(0)} users/s`,
    b: `${planned.toLocaleString('en')} users: ${minutes.toFixed(0)} min`,
  };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(100);
}

async function storing(bench: Bench, part: string, services: readonly string[]) {
  const databaseUrl = await freshDatabase(bench, bench.sizes, `insights_${part}`);
  const product = await bench.start({ databaseUrl, services });
  return storeRate(bench, product.url, await createConnectedUsers(product, 'sender', senders));
}
