import type { Piece } from '../bench.ts';
import { singleRow } from '../row.ts';

/** The memory that the process with all services took through the pieces before. */
export const memory: Piece = {
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
