import pg from 'pg';
import type { Bench, Measurement } from '../bench.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { startProduct } from '../product.ts';
import { figuresOf } from '../rounds.ts';
import { pairRow, type Row, singleRow } from '../row.ts';
import {
  deleteEndpoints,
  drained,
  enableOthers,
  insertEndpoints,
  recordChanges,
} from '../webhooks/endpoints.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

const types = [
  ...['user.created', 'user.updated', 'workout.created', 'workout.updated', 'workout.deleted'],
  ...['sleep.created', 'sleep.updated', 'sleep.deleted', 'connection.created', 'connection.revoked'],
];

/** Outgoing webhooks: from the record of a change to its receipt, and what bad endpoints cost the others. */
export const webhooks: Measurement = {
  name: 'webhooks',
  async run(bench) {
    const { seconds, perSecond, toEach, perSecondToEach } = bench.sizes.webhooks;
    const databaseUrl = await freshDatabase(bench, bench.sizes);
    const receiver = await startReceiver();
    const settings = { WEBHOOK_ENDPOINT_ORIGINS: receiver.origin };
    const product = await startProduct({ databaseUrl, settings });
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    try {
      const scene = { bench, receiver, pool };
      return {
        title: 'Outgoing webhooks',
        about: `Changes of users for ${seconds} s, all services in one process, the endpoints in another. The time is that from the begin of the change's transaction to its receipt. First ${perSecond} changes a second, each to one of 10 endpoints; then ${perSecondToEach} a second, each to all of 10. Then ${toEach} changes a second, each to all of 100 endpoints, in rounds in turn. A: 10 of them never answer, 10 answer 500, 10 answer after 10 s; B: only the other 70.`,
        rows: [...(await delays(scene)), ...(await withBadOnes(scene))],
      };
    } finally {
      await pool.end();
      await product.stop();
      await receiver.stop();
    }
  },
};

interface Scene {
  readonly bench: Bench;
  readonly receiver: Receiver;
  readonly pool: pg.Pool;
}

async function delays({ bench, receiver, pool }: Scene): Promise<Row[]> {
  const { perSecond, perSecondToEach } = bench.sizes.webhooks;
  const rows: Row[] = [];
  for (const [what, rate, filters] of [
    ['each to one of 10 endpoints', perSecond, types],
    ['each to all of 10 endpoints', perSecondToEach, []],
  ] as const) {
    await insertEndpoints(pool, receiver.origin, { way: 'ok', count: 10, types: filters });
    await timesOf({ bench, receiver, pool }, rate); // code is cold
    const times = await timesOf({ bench, receiver, pool }, rate);
    const row = (name: string, share: number, most: number) =>
      singleRow({
        what: `${rate} changes/s, ${what}: ${name}`,
        value: at(times, share),
        unit: 'ms',
        goal: { most },
      });
    rows.push(row('p50', 0.5, 100), row('p99', 0.99, 1000));
    await deleteEndpoints(pool);
  }
  return rows;
}

async function withBadOnes(scene: Scene): Promise<Row[]> {
  const { bench, receiver, pool } = scene;
  const { toEach } = bench.sizes.webhooks;
  await insertEndpoints(pool, receiver.origin, { way: 'ok', count: 70 });
  for (const way of ['silent', 'error', 'slow'] as const)
    await insertEndpoints(pool, receiver.origin, { way, count: 10 });
  const all: Record<'with' | 'without', number[][]> = { with: [], without: [] };
  for (let round = 0; round <= bench.sizes.rounds; round += 1)
    for (const side of round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)) {
      await enableOthers(pool, side === 'with');
      const times = await timesOf(scene, toEach);
      if (round > 0) all[side].push(times);
    }
  const row = (name: string, share: number) =>
    pairRow({
      what: `70 good endpoints of 100: ${name}`,
      a: figuresOf(all.with.map((times) => at(times, share))),
      b: figuresOf(all.without.map((times) => at(times, share))),
      unit: 'ms',
      goal: { most: 1.05 },
    });
  return [row('p50', 0.5), row('p99', 0.99)];
}

async function timesOf({ bench, receiver, pool }: Scene, perSecond: number): Promise<number[]> {
  await receiver.times();
  const ms = bench.sizes.webhooks.seconds * 1000;
  const recorded = await recordChanges(pool, { perSecond, ms, types });
  await drained(pool);
  const times = await receiver.times();
  if (times.length < recorded) throw new Error(`${times.length} messages of ${recorded} changes arrived`);
  return times.toSorted((a, b) => a - b);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
