import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Bench, Measurement } from '../bench.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { type Product, startProduct } from '../product.ts';
import { median } from '../rounds.ts';
import { type Row, shown, singleRow } from '../row.ts';

const chunk = 2000;
const senders = 4;
const chunksPerSender = 10;
const goal = 50_000;
const Id = z.object({ id: z.string() });
const Answer = z.object({ stored: z.int() });

/** Items that apps on phones upload. */
export const uploads: Measurement = {
  name: 'uploads',
  async run(bench) {
    const product = await startProduct({ databaseUrl: await freshDatabase(bench, bench.sizes) });
    try {
      return {
        title: 'Uploads of phones',
        about: `${senders} apps upload chunks of ${chunk.toLocaleString('en')} items at once, all services in one process: until the answers, by which all items are stored.`,
        rows: [await rateOf(bench, product, 'samples'), await rateOf(bench, product, 'intervals')],
      };
    } finally {
      await product.stop();
    }
  },
};

async function rateOf({ sizes }: Bench, product: Product, kind: 'samples' | 'intervals'): Promise<Row> {
  const rates: number[] = [];
  for (let round = 0; round <= sizes.rounds; round += 1) {
    const users = await Promise.all(
      Array.from({ length: senders }, () => newUser(product, `${kind}-${round}`)),
    );
    const began = performance.now();
    await Promise.all(users.map((user) => uploadAll(product, user, kind)));
    const seconds = (performance.now() - began) / 1000;
    if (round > 0) rates.push((senders * chunksPerSender * chunk) / seconds);
  }
  const value = median(rates);
  const note = `(goal ${shown(goal)})`;
  return singleRow({ what: `${kind} stored`, value, unit: 'items/s', note });
}

async function newUser(product: Product, name: string): Promise<string> {
  const external_user_id = `${name}-${Math.random()}`;
  return Id.parse(await product.post('/users', { external_user_id })).id;
}

async function uploadAll(product: Product, user: string, kind: 'samples' | 'intervals'): Promise<void> {
  for (let index = 0; index < chunksPerSender; index += 1) {
    const records = Array.from({ length: chunk }, (_, at) => recordOf(index * chunk + at, kind));
    const answer = await product.post(`/sdk/users/${user}/sync`, { provider: 'google', data: { records } });
    const { stored } = Answer.parse(answer);
    if (stored !== chunk) throw new Error(`${stored} of ${chunk} items were stored`);
  }
}

function recordOf(index: number, kind: 'samples' | 'intervals'): object {
  const at = Date.UTC(2026, 0, 1) + index * 5000;
  const iso = (ms: number) => new Date(ms).toISOString();
  const isSample = kind === 'samples';
  return {
    ...{ id: randomUUID(), type: isSample ? 'HEART_RATE' : 'STEP_COUNT', startDate: iso(at) },
    ...{ endDate: iso(isSample ? at : at + 5000), zoneOffset: '+01:00', value: 60 + (index % 50) },
    ...{ unit: isSample ? 'bpm' : 'count', source: { deviceName: 'Pixel Watch', deviceType: 'watch' } },
  };
}
