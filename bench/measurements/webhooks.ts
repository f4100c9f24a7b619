import pg from 'pg';
import type { Measurement } from '../bench.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { startProduct } from '../product.ts';
import { type Row, singleRow } from '../row.ts';
import { changedTypes } from '../webhooks/changes.ts';
import { deleteEndpoints, insertEndpoints } from '../webhooks/endpoints.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { at, delaysOf, type Scene } from '../webhooks/scene.ts';

/** A rate that is this much lower is not the one that was asked for. */
const leastShare = 0.98;

/** Outgoing webhooks: from the commit of a change to its receipt. */
export const webhooks: Measurement = {
  name: 'webhooks',
  hasOwnData: true,
  async run(bench) {
    const { seconds, perSecond, perSecondToEach } = bench.sizes.webhooks;
    const databaseUrl = await freshDatabase(bench, bench.sizes);
    const receiver = await startReceiver();
    const settings = { WEBHOOK_ENDPOINT_ORIGINS: receiver.origin };
    const product = await startProduct({ databaseUrl, settings });
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    try {
      return {
        title: 'Outgoing webhooks',
        about: `Users, connections, workouts and nights that are created, changed and deleted in the database for ${seconds} s, after a run that is not counted; their triggers record the changes. All services are one process, the endpoints another. The time is that from the begin of the change's transaction to its receipt. First ${perSecond} changes a second, each to one of 10 endpoints; then ${perSecondToEach} a second, each to all of 10.`,
        rows: await delayRows({ bench, receiver, pool }),
      };
    } finally {
      await pool.end();
      await product.stop();
      await receiver.stop();
    }
  },
};

async function delayRows(scene: Scene): Promise<Row[]> {
  const { seconds, perSecond, perSecondToEach } = scene.bench.sizes.webhooks;
  const ms = seconds * 1000;
  const rows: Row[] = [];
  for (const [what, rate, filters] of [
    ['each to one of 10 endpoints', perSecond, changedTypes],
    ['each to all of 10 endpoints', perSecondToEach, []],
  ] as const) {
    await insertEndpoints(scene.pool, scene.receiver.origin, { way: 'ok', count: 10, types: filters });
    await delaysOf(scene, { perSecond: rate, ms }); // code is cold
    const { delaysMs, reached } = await delaysOf(scene, { perSecond: rate, ms });
    const row = (name: string, value: number, most: number) =>
      singleRow({ what: `${rate} changes/s, ${what}: ${name}`, value, unit: 'ms', goal: { most } });
    rows.push(
      singleRow({
        what: `${rate} changes/s, ${what}: rate that was reached for ${seconds} s`,
        ...{ value: reached, unit: '/s', goal: { least: leastShare * rate } },
      }),
      row('p50', at(delaysMs, 0.5), 100),
      row('p99', at(delaysMs, 0.99), 1000),
    );
    await deleteEndpoints(scene.pool);
  }
  return rows;
}
