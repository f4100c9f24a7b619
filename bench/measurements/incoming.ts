import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { dayMs } from '../../domain/time/time.ts';
import { databaseCpuMs } from '../database-cpu.ts';
import { startMs } from '../dataset/plan.ts';
import { bareInsert, makeBareTable, storedRows } from '../ingest/bare-insert.ts';
import { type ConnectedUser, dailiesOf, detailsOf, sleepsOf, valuesPerDay } from '../ingest/bodies.ts';
import { createConnectedUsers, dayPushes, sendPush, timePush } from '../ingest/pushes.ts';
import type { Line } from '../lines.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { megabytesOf, type Product } from '../product.ts';
import { PageHead, samplesPath } from '../requests.ts';
import { inRounds, median } from '../rounds.ts';
import { shown } from '../row.ts';
import { removeChangeLog } from '../webhooks/remove-change-log.ts';

const [senders, readings] = [8, 10];

/** Incoming data of webhooks. */
export const ingest: Measurement = {
  name: 'ingest',
  title: 'Data coming in',
  async *lines(bench) {
    yield `The device maker's push, a day of a user being one record with ${valuesPerDay.toLocaleString('en')} heart rates. A: through the webhook, all services in one process, until its answer, by which all of it must be readable. B: the rows that came of it, by the same upsert in batches of 5,000 into a like hypertable without triggers, over one connection.`;
    const { pool, product } = await bench.startEmpty();
    await makeBareTable(pool);
    for (const userDays of bench.sizes.userDays) yield* pushLines(bench, pool, product, userDays);
    yield await sendersLine(bench, product);
    yield await readingLine(product);
    const { peak: value } = await megabytesOf(product);
    yield { what: 'resident memory at its peak through this', value, unit: 'MB' };
  },
};

/** Each round sends another day of the same users, so that none of it is stored already. */
async function* pushLines(
  { sizes }: Bench,
  pool: pg.Pool,
  product: Product,
  count: number,
): AsyncIterable<Line> {
  const users = await createConnectedUsers(product, `push-${count}`, count);
  const userIds = users.map(({ userId }) => userId);
  let day = 0;
  const round = async () => {
    const webhookMs = await sendPush(product, dailiesOf(users, day), count);
    const from = startMs + day++ * dayMs;
    const rows = await storedRows(pool, userIds, from, from + dayMs);
    if (rows.length !== count * valuesPerDay)
      throw new Error(`${rows.length} values were there after the answer`);
    return { webhookMs, bareMs: await bareInsert(pool, rows) };
  };
  const [rounds = []] = await inRounds(sizes.rounds, [round]);
  const rateOf = (ms: number) => (1000 * count * valuesPerDay) / ms;
  const tookMs = median(rounds.map(({ webhookMs }) => webhookMs));
  yield {
    what: `${count} user-days in a push`,
    figures: [rounds.map(({ webhookMs }) => rateOf(webhookMs)), rounds.map(({ bareMs }) => rateOf(bareMs))],
    unit: 'values/s',
    notes: [`(${shown((1000 * count) / tookMs)} items/s)`, ''],
    goal: count === 1 ? undefined : { least: 0.6 },
  };
  if (count === 1)
    yield { what: 'answer to a day of one user', value: tookMs, unit: 'ms', goal: { most: 100 } };
}

/** Days of several users, sent by several senders at once. */
async function sendersLine({ load, sizes }: Bench, product: Product): Promise<Line> {
  const users = await createConnectedUsers(product, 'sender', senders);
  const requests = dayPushes(users, 0, sizes.rounds * 5);
  const { median_ms, p99_ms, seconds } = await load.sendLoad(
    { url: product.url, requests },
    { connections: senders, most_requests: requests.length },
  );
  const note = `p50, ${shown(p99_ms)} ms p99 (${shown((requests.length * valuesPerDay) / seconds)} values/s)`;
  return { what: `${senders} senders, a user-day each`, value: median_ms, unit: 'ms', note };
}

/** Reads immediately after the answer. */
async function readingLine(product: Product): Promise<Line> {
  const users = await createConnectedUsers(product, 'reader', 1);
  const readMs: number[] = [];
  for (let day = 0; day < readings; day++) {
    await sendPush(product, dailiesOf(users, day), 1);
    const began = performance.now();
    const path = samplesPath(users[0]?.userId ?? '', { first: day, count: 1 }, { types: 'heart_rate' });
    const { pagination } = PageHead.parse(await product.get(path));
    readMs.push(performance.now() - began);
    if (pagination.total_count !== valuesPerDay)
      throw new Error('not all values were readable after the answer');
  }
  const note = `(all of a day was there in the first read behind the answer, ${readings} of ${readings} times)`;
  return { what: 'the first read behind an answer', value: readMs, unit: 'ms', note };
}

const [waitMs, pollMs] = [300_000, 100];

/** The memory that large bodies need. */
export const bodies: Measurement = {
  name: 'bodies',
  title: 'Large bodies',
  hasOwnData: true,
  async *lines(bench) {
    yield 'One push of activityDetails at 1 Hz to a process of all services that was just started; its resident memory at the peak, and before.';
    for (const megabytes of bench.sizes.bodyMegabytes) {
      const { pool, product } = await bench.startEmpty(`bodies_${megabytes}`);
      const [user] = await createConnectedUsers(product, 'large', 1);
      if (user === undefined) throw new Error('there is no user');
      const body = detailsOf(user, megabytes * 1e6);
      const { rss } = await megabytesOf(product);
      const began = performance.now();
      const { tookMs } = await timePush(product, body);
      await untilDone(pool);
      const doneMs = performance.now() - began;
      const { peak: value } = await megabytesOf(product);
      await product.stop();
      const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from timeseries.sample');
      const n = rows[0]?.n ?? 0;
      const note = `(before: ${shown(rss)} MB; answered after ${shown(tookMs / 1000)} s, done after ${shown(doneMs / 1000)} s; ${n.toLocaleString('en')} values stored, ${shown((1000 * n) / doneMs)}/s)`;
      yield { what: `${megabytes} MB`, value, unit: 'MB', note };
    }
  },
};

async function untilDone(pool: pg.Pool): Promise<void> {
  const began = performance.now();
  for (;;) {
    const open = await pool.query(
      "select from deliveries.delivery where state in ('ready', 'working') limit 1",
    );
    if (open.rowCount === 0) return;
    if (performance.now() - began > waitMs) throw new Error('a large push was not done in time');
    await sleep(pollMs);
  }
}

/** The rate of stored data with the change log and without it. */
export const changelog: Measurement = {
  name: 'changelog',
  title: 'Change log',
  hasOwnData: true,
  async *lines(bench) {
    yield `The device maker's push through the webhook, until its answer, all services in one process. A day of a user is one record with ${valuesPerDay.toLocaleString('en')} heart rates. A: a database as migrated, whose changes are recorded and published; B: one without the triggers that record them. CPU: of the services and of the connections to the database.`;
    const { changeLog, throughputRounds } = bench.sizes;
    const sides = [await changeLogSide(bench, 'with'), await changeLogSide(bench, 'without')];
    for (const push of [...changeLog.userDays.map(daysPush), nightsPush(changeLog.records)]) {
      const { what, count, perUser, unit } = push;
      const measures = await Promise.all(sides.map((side) => side(push)));
      const [a = [], b = []] = await inRounds(throughputRounds, measures);
      const rates = (rounds: typeof a) => rounds.map(({ tookMs }) => (1000 * count * perUser) / tookMs);
      const cpu = (rounds: typeof a) => rounds.map(({ cpuMs }) => cpuMs / count);
      yield { what, figures: [rates(a), rates(b)], unit, goal: { least: 0.95 } };
      yield { what: `${what}: CPU of a user's part`, figures: [cpu(a), cpu(b)], unit: 'ms' };
    }
  },
};

interface Push {
  readonly what: string;
  readonly count: number;
  /** Values, or records without samples, of a user. */
  readonly perUser: number;
  readonly unit: 'values/s' | '/s';
  readonly bodyOf: (users: readonly ConnectedUser[], day: number) => string;
}

function daysPush(count: number): Push {
  const what = `${count} user-days in a push`;
  return { what, count, perUser: valuesPerDay, unit: 'values/s', bodyOf: dailiesOf };
}

function nightsPush(count: number): Push {
  const what = `${count} nights without samples in a push`;
  return { what, count, perUser: 1, unit: '/s', bodyOf: sleepsOf };
}

/** A product with the change log or without it. Each round of a push sends another day, so that none of it is stored already. */
async function changeLogSide(bench: Bench, side: 'with' | 'without') {
  const { pool, product } = await bench.startEmpty(`changes_${side}`);
  if (side === 'without') await removeChangeLog(pool);
  const cpuOfAll = async () => (await product.usage()).cpu_ms + (await databaseCpuMs(pool));
  return async ({ bodyOf, count }: Push) => {
    const users = await createConnectedUsers(product, `${bodyOf.name}-${count}`, count);
    let day = 0;
    return async () => {
      const before = await cpuOfAll();
      const tookMs = await sendPush(product, bodyOf(users, day++), count);
      return { tookMs, cpuMs: (await cpuOfAll()) - before };
    };
  };
}
