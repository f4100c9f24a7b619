import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Bench, Measurement } from '../bench.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { detailsOf } from '../ingest/bodies.ts';
import { createConnectedUsers } from '../ingest/connected-users.ts';
import { type Product, startProduct } from '../product.ts';
import { type Row, shown, singleRow } from '../row.ts';

const waitMs = 300_000;
const pollMs = 100;

/** The memory that large bodies need. */
export const bodies: Measurement = {
  name: 'bodies',
  async run(bench) {
    const rows: Row[] = [];
    for (const megabytes of bench.sizes.bodyMegabytes) rows.push(...(await measure(bench, megabytes)));
    return {
      title: 'Large bodies',
      about:
        'One push of activityDetails at 1 Hz to a process of all services that was just started; its resident memory at the peak, and before.',
      rows,
    };
  },
};

async function measure(bench: Bench, megabytes: number): Promise<Row[]> {
  const databaseUrl = await freshDatabase(bench, bench.sizes);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const product = await startProduct({ databaseUrl });
  try {
    const [user] = await createConnectedUsers(product, 'large', 1);
    if (user === undefined) throw new Error('there is no user');
    const before = await product.usage();
    const { answerMs, doneMs } = await push(product, pool, Buffer.from(detailsOf(user, megabytes * 1e6)));
    const after = await product.usage();
    const values = await storedValues(pool);
    const note = `(before: ${shown(before.rss_bytes / 1024 ** 2)} MB; answered after ${shown(answerMs / 1000)} s, done after ${shown(doneMs / 1000)} s; ${values.toLocaleString('en')} values stored, ${shown((1000 * values) / doneMs)}/s)`;
    const value = after.peak_rss_bytes / 1024 ** 2;
    return [singleRow({ what: `${megabytes} MB`, value, unit: 'MB', note })];
  } finally {
    await product.stop();
    await pool.end();
  }
}

async function push({ url }: Product, pool: pg.Pool, body: Buffer<ArrayBuffer>) {
  const began = performance.now();
  const headers = { 'devicemaker-client-id': 'bench', 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v1/webhooks/devicemaker/push`, { method: 'POST', headers, body });
  await response.text();
  const answerMs = performance.now() - began;
  if (response.status !== 200) throw new Error(`a large push was answered with ${response.status}`);
  while (await isOpen(pool)) {
    if (performance.now() - began > waitMs) throw new Error('a large push was not done in time');
    await sleep(pollMs);
  }
  return { answerMs, doneMs: performance.now() - began };
}

async function isOpen(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ open: boolean }>(
    "select exists (select from deliveries.delivery where state in ('ready', 'working')) as open",
  );
  return rows[0]?.open ?? false;
}

async function storedValues(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from timeseries.sample');
  return rows[0]?.n ?? 0;
}
