import { setTimeout as wait } from 'node:timers/promises';
import type { Measurement } from '../bench.ts';
import { startProduct } from '../product.ts';
import { singleRow } from '../row.ts';

const restMs = 5000;

/** The memory of the process with all services: at rest, and its peak during the previous measurements. */
export const memory: Measurement = {
  name: 'memory',
  async run({ databaseUrl, product }) {
    const { peak_rss_bytes } = await product.usage();
    const resting = await startProduct({ databaseUrl });
    try {
      await wait(restMs);
      const { rss_bytes } = await resting.usage();
      return {
        title: 'Memory',
        about: `The process with all services: another one ${restMs / 1000} s after its start, and the one that answered all of the above at its peak.`,
        rows: [row('at rest', rss_bytes, 300), row('at its peak', peak_rss_bytes, 600)],
      };
    } finally {
      await resting.stop();
    }
  },
};

function row(when: string, bytes: number, most: number) {
  return singleRow({ what: `resident memory ${when}`, value: bytes / 1024 ** 2, unit: 'MB', goal: { most } });
}
