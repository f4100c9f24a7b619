import type { Resolution } from '../../contracts/timeseries/schemas.ts';
import type { Bench, Measurement } from '../bench.ts';
import { latencies, samplesPath, spread, targetOf } from '../requests.ts';
import { pairRow, shown } from '../row.ts';

const resolutions: readonly Resolution[] = ['raw', '1min', '5min', '15min', '1hour'];
const limit = 50;

/** The cost of a page by the length of its range, for each resolution. */
export const ranges: Measurement = {
  name: 'ranges',
  async run(bench) {
    const rows = [];
    for (const types of ['heart_rate', null])
      for (const resolution of resolutions) rows.push(await compare(bench, resolution, types));
    return {
      title: 'A page by the length of its range',
      about: `Median time of an answer over one connection: first page of ${limit}, of the user with eight series at 1/min, heart_rate alone and all eight. A: a year. B: a day.`,
      rows,
    };
  },
};

async function compare(bench: Bench, resolution: Resolution, types: string | null) {
  const query = { resolution, limit, ...(types === null ? {} : { types }) };
  const target = (days: number) => {
    const ranges = spread(bench, days);
    return targetOf(
      bench.product,
      ranges.map((range) => samplesPath(bench.plan.minuteId, range, query)),
    );
  };
  const { year, month, day } = await latencies(bench, {
    year: target(bench.sizes.days),
    month: target(Math.min(30, bench.sizes.days)),
    day: target(1),
  });
  const what = `${resolution}, ${types ?? 'all series'}`;
  const notes = ['', `(30 days: ${shown(month.median)} ms)`] as const;
  return pairRow({ what, a: year, b: day, unit: 'ms', goal: { most: 1.5 }, notes });
}
