import pg from 'pg';
import type { Measurement } from '../bench.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { type Product, startProduct } from '../product.ts';
import { figuresOf } from '../rounds.ts';
import { pairRow, type Row, singleRow } from '../row.ts';
import { disabledByRule } from '../webhooks/disabled.ts';
import { enableOthers, insertEndpoints } from '../webhooks/endpoints.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { at, delaysOf, type Scene } from '../webhooks/scene.ts';

const each = 10;
const good = 70;
const mostGrowth = 1;

/** Outgoing webhooks: the cost of endpoints that fail for those that do not. */
export const endpoints: Measurement = {
  name: 'endpoints',
  hasOwnData: true,
  async run(bench) {
    const { toEach, roundSeconds } = bench.sizes.webhooks;
    const databaseUrl = await freshDatabase(bench, bench.sizes);
    const receiver = await startReceiver();
    const settings = { WEBHOOK_ENDPOINT_ORIGINS: receiver.origin };
    const product = await startProduct({ databaseUrl, settings });
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    try {
      return {
        title: 'Endpoints that fail',
        about: `${toEach} changes a second for ${roundSeconds} s, each to all endpoints, in rounds in turn. A: 100 endpoints, of which ${each} never answer, ${each} answer 500 and ${each} answer after 10 s; B: the other ${good} only. The heap is that of the process with all services after a collection, after each round of A, and its growth that of a line through them. Then the failures are dated five days back.`,
        rows: await measure({ bench, receiver, pool }, product),
      };
    } finally {
      await pool.end();
      await product.stop();
      await receiver.stop();
    }
  },
};

async function measure(scene: Scene, product: Product): Promise<Row[]> {
  const { pool, receiver, bench } = scene;
  await insertEndpoints(pool, receiver.origin, { way: 'ok', count: good });
  for (const way of ['silent', 'error', 'slow'] as const)
    await insertEndpoints(pool, receiver.origin, { way, count: each });
  const bounds = { perSecond: bench.sizes.webhooks.toEach, ms: bench.sizes.webhooks.roundSeconds * 1000 };
  const delays: Record<'with' | 'without', (readonly number[])[]> = { with: [], without: [] };
  const memory: number[] = [];
  for (let round = 0; round <= bench.sizes.rounds; round += 1)
    for (const side of round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)) {
      await enableOthers(pool, side === 'with');
      const { delaysMs } = await delaysOf(scene, bounds);
      if (round > 0) delays[side].push(delaysMs); // code is cold
      if (round > 0 && side === 'with') memory.push((await product.heapBytes()) / 1024 ** 2);
    }
  return [...delayRows(delays), ...memoryRows(memory), await disabledRow(pool)];
}

function delayRows(delays: Record<'with' | 'without', (readonly number[])[]>): Row[] {
  return (
    [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const
  ).map(([name, share]) =>
    pairRow({
      what: `${good} good endpoints of 100: ${name}`,
      a: figuresOf(delays.with.map((sorted) => at(sorted, share))),
      b: figuresOf(delays.without.map((sorted) => at(sorted, share))),
      unit: 'ms',
      goal: { most: 1.05 },
    }),
  );
}

function memoryRows(megabytes: readonly number[]): Row[] {
  const what = 'heap of all services in use';
  const growth = megabytes.length < 2 ? 0 : slopeOf(megabytes);
  return [
    singleRow({ what: `${what} after the last round`, value: megabytes.at(-1) ?? 0, unit: 'MB' }),
    singleRow({ what: `${what}: growth a round`, value: growth, unit: 'MB', goal: { most: mostGrowth } }),
  ];
}

/** The slope of a least-squares line through values at equal distances. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const weighted = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  return weighted / values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
}

async function disabledRow(pool: pg.Pool): Promise<Row> {
  const { disabled, audited, published } = await disabledByRule(pool, 2 * each);
  const isAll = disabled === 2 * each && audited === disabled && published === disabled;
  return {
    what: 'failing endpoints that were disabled after five days',
    a: String(disabled),
    b: `${audited} audit entries, ${published} events`,
    ...{ ratio: '', goal: String(2 * each), verdict: isAll ? 'met' : 'missed' },
  };
}
