import { once } from 'node:events';
import { get, IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Bench, Measurement } from '../bench.ts';
import { type Product, startProduct } from '../product.ts';
import { figuresOf } from '../rounds.ts';
import { pairRow, shown, singleRow } from '../row.ts';

/** An export of one user: memory by its length, and samples per second. */
export const exports: Measurement = {
  name: 'exports',
  async run(bench) {
    const { exportedSamples: many } = bench.sizes;
    const few = Math.round(many / 10);
    const a = await measure(bench, many);
    const b = await measure(bench, few);
    return {
      title: 'An export',
      about: `The 1 Hz user's, as a client reads it, in a process of all services that was just started. A: ${many.toLocaleString('en')} samples, B: ${few.toLocaleString('en')}.`,
      rows: [
        pairRow({
          what: 'resident memory at the peak',
          a: figuresOf([a.peakMegabytes]),
          b: figuresOf([b.peakMegabytes]),
          unit: 'MB',
          goal: { most: 1.25 },
          notes: [`(before: ${shown(a.beforeMegabytes)})`, `(before: ${shown(b.beforeMegabytes)})`],
        }),
        singleRow({ what: 'samples a second', value: a.perSecond, unit: '/s' }),
      ],
    };
  },
};

async function measure({ databaseUrl, plan }: Bench, samples: number) {
  const product = await startProduct({ databaseUrl });
  try {
    const before = await product.usage();
    const began = performance.now();
    await readSamples(product, `/users/${plan.hertzId}/export`, samples);
    const took = performance.now() - began;
    const after = await product.usage();
    return {
      beforeMegabytes: before.rss_bytes / 1024 ** 2,
      peakMegabytes: after.peak_rss_bytes / 1024 ** 2,
      perSecond: (1000 * samples) / took,
    };
  } finally {
    await product.stop();
  }
}

/** Reads a number of samples, then closes the connection. @throws Error if the export ends earlier */
async function readSamples({ url, key }: Product, path: string, samples: number): Promise<void> {
  const request = get(`${url}/api/v1${path}`, { headers: { 'x-api-key': key } });
  const [response] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(request, 'response'));
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
  let read = 0;
  for await (const line of createInterface({ input: response })) {
    if (line.startsWith('{"kind":"sample"')) read += 1;
    if (read === samples) break;
  }
  response.destroy();
  if (read < samples) throw new Error(`${path}: ${read} samples, not ${samples}`);
}
