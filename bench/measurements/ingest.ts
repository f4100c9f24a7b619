import pg from 'pg';
import { dayMs } from '../../domain/time/time.ts';
import type { Bench, Measurement } from '../bench.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { startMs } from '../dataset/plan.ts';
import { bareInsert, makeBareTable, storedRows } from '../ingest/bare-insert.ts';
import { dailiesOf, valuesPerDay } from '../ingest/bodies.ts';
import { type ConnectedUser, createConnectedUsers } from '../ingest/connected-users.ts';
import { pushRequest, sendPush } from '../ingest/send-push.ts';
import { type Product, startProduct } from '../product.ts';
import { PageHead, samplesPath } from '../requests.ts';
import { figuresOf, median } from '../rounds.ts';
import { pairRow, type Row, shown, singleRow } from '../row.ts';

const senders = 8;
const readings = 10;

/** Incoming data of webhooks. */
export const ingest: Measurement = {
  name: 'ingest',
  async run(bench) {
    const databaseUrl = await freshDatabase(bench, bench.sizes);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    const product = await startProduct({ databaseUrl });
    try {
      await makeBareTable(pool);
      const rows = await measure({ bench, pool, product });
      return {
        title: 'Data coming in',
        about: `The device maker's push, a day of a user being one record with ${valuesPerDay.toLocaleString('en')} heart rates. A: through the webhook, all services in one process, until its answer, by which all of it must be readable. B: the rows that came of it, by the same upsert in batches of 5,000 into a like hypertable without triggers, over one connection.`,
        rows,
      };
    } finally {
      await product.stop();
      await pool.end();
    }
  },
};

interface Context {
  readonly bench: Bench;
  readonly pool: pg.Pool;
  readonly product: Product;
}

async function measure(scene: Context): Promise<Row[]> {
  const { sizes } = scene.bench;
  const rows: Row[] = [];
  for (const userDays of sizes.userDays) rows.push(...(await rateOf(scene, userDays)));
  rows.push(await manySenders(scene), await readable(scene));
  const { peak_rss_bytes } = await scene.product.usage();
  const value = peak_rss_bytes / 1024 ** 2;
  rows.push(singleRow({ what: 'resident memory at its peak through this', value, unit: 'MB' }));
  return rows;
}

/** Each round sends another day of the same users, so that none of it is stored already. */
async function rateOf(scene: Context, userDays: number): Promise<Row[]> {
  const { bench, product } = scene;
  const users = await createConnectedUsers(product, `push-${userDays}`, userDays);
  const webhook: number[] = [];
  const bare: number[] = [];
  const tookMs: number[] = [];
  for (let day = 0; day <= bench.sizes.rounds; day++) {
    const one = await roundOf(scene, users, day);
    if (day === 0) continue; // does not count: connections and code are cold
    tookMs.push(one.webhookMs);
    webhook.push((1000 * one.values) / one.webhookMs);
    bare.push((1000 * one.values) / one.bareMs);
  }
  const [a, b] = [figuresOf(webhook), figuresOf(bare)];
  const what = `${userDays} user-days in a push`;
  const note = `(${shown(1000 / (median(tookMs) / userDays))} items/s)`;
  const pair = { what, a, b, unit: 'values/s', notes: [note, ''] } as const;
  if (userDays > 1) return [pairRow({ ...pair, goal: { least: 0.6 } })];
  const value = median(tookMs);
  return [
    pairRow(pair),
    singleRow({ what: 'answer to a day of one user', value, unit: 'ms', goal: { most: 100 } }),
  ];
}

async function roundOf({ pool, product }: Context, users: readonly ConnectedUser[], day: number) {
  const webhookMs = await sendPush(product, dailiesOf(users, day), users.length);
  const from = startMs + day * dayMs;
  const userIds = users.map(({ userId }) => userId);
  const columns = await storedRows(pool, userIds, from, from + dayMs);
  const values = columns.series.length;
  if (values !== users.length * valuesPerDay) throw new Error(`${values} values were there after the answer`);
  return { webhookMs, values, bareMs: await bareInsert(pool, columns) };
}

/** Days of several users, sent by several senders at once. */
async function manySenders({ bench, product }: Context): Promise<Row> {
  const users = await createConnectedUsers(product, 'sender', senders);
  const days = bench.sizes.rounds * 5;
  const bodies = Array.from({ length: days }, (_, day) => users.map((one) => dailiesOf([one], day))).flat();
  const requests = bodies.map(pushRequest);
  const { median_ms, p99_ms, seconds } = await bench.load.sendLoad(
    { url: product.url, requests },
    { connections: senders, most_requests: requests.length },
  );
  const note = `p50, ${shown(p99_ms)} ms p99 (${shown((requests.length * valuesPerDay) / seconds)} values/s)`;
  return singleRow({ what: `${senders} senders, a user-day each`, value: median_ms, unit: 'ms', note });
}

/** Reads immediately after the answer. */
async function readable({ product }: Context): Promise<Row> {
  const [user] = await createConnectedUsers(product, 'reader', 1);
  if (user === undefined) throw new Error('there is no user');
  const readMs: number[] = [];
  for (let day = 0; day < readings; day++) {
    await sendPush(product, dailiesOf([user], day), 1);
    const began = performance.now();
    const path = samplesPath(user.userId, { first: day, count: 1 }, { types: 'heart_rate' });
    const { pagination } = PageHead.parse(await product.get(path));
    readMs.push(performance.now() - began);
    if (pagination.total_count !== valuesPerDay)
      throw new Error('not all values were readable after the answer');
  }
  const note = `(all of a day was there in the first read behind the answer, ${readings} of ${readings} times)`;
  return singleRow({ what: 'the first read behind an answer', value: median(readMs), unit: 'ms', note });
}
