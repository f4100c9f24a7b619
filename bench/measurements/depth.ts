import type { Resolution } from '../../contracts/timeseries/schemas.ts';
import type { Bench, Measurement } from '../bench.ts';
import { latencies, PageHead, samplesPath, targetOf } from '../requests.ts';
import { pairRow } from '../row.ts';

/** Page sizes with which a year has more than a thousand pages of each resolution. */
const cases: readonly { resolution: Resolution; limit: number }[] = [
  { resolution: 'raw', limit: 50 },
  { resolution: '1min', limit: 50 },
  { resolution: '5min', limit: 50 },
  { resolution: '15min', limit: 20 },
  { resolution: '1hour', limit: 5 },
];

/** A page in the middle of a range against the first one. */
export const depth: Measurement = {
  name: 'depth',
  async run(bench) {
    const rows = [];
    for (const one of cases) rows.push(await compare(bench, one.resolution, one.limit));
    return {
      title: 'A page from the middle',
      about: `Median time of an answer over one connection: heart_rate of a year at 1/min. A: page ${bench.sizes.deepPage}, by its cursor. B: page 1.`,
      rows,
    };
  },
};

async function compare(bench: Bench, resolution: Resolution, limit: number) {
  const { product, plan, sizes } = bench;
  const query = { types: 'heart_rate', resolution, limit };
  const pathOf = (more: object) =>
    samplesPath(plan.minuteId, { first: 0, count: sizes.days }, { ...query, ...more });
  const cursor = await cursorOf(bench, pathOf);
  const { a, b } = await latencies(bench, {
    a: targetOf(product, [pathOf({ cursor })]),
    b: targetOf(product, [pathOf({})]),
  });
  return pairRow({ what: `${resolution}, pages of ${limit}`, a, b, unit: 'ms', goal: { most: 1.5 } });
}

/** Reads page after page, as a client does, until the previous page. */
async function cursorOf({ product, sizes }: Bench, pathOf: (more: object) => string): Promise<string> {
  let cursor: string | null = null;
  for (let page = 1; page < sizes.deepPage; page++) {
    const answer = PageHead.parse(await product.get(pathOf(cursor === null ? {} : { cursor })));
    cursor = answer.pagination.next_cursor;
  }
  if (cursor === null) throw new Error(`there is no page ${sizes.deepPage}`);
  return cursor;
}
