import type { Measurement } from '../bench.ts';
import { singleRow } from '../row.ts';

/** The memory that the process with all services used during the previous measurements. */
export const memory: Measurement = {
  name: 'memory',
  async run({ product }) {
    const { peak_rss_bytes } = await product.usage();
    const value = peak_rss_bytes / 1024 ** 2;
    return {
      title: 'Memory',
      about: 'The process with all services, at its peak through all of the above that it answered.',
      rows: [singleRow({ what: 'resident memory at its peak', value, unit: 'MB', goal: { most: 400 } })],
    };
  },
};
