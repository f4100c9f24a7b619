import type { Resolution } from '../../contracts/timeseries/schemas.ts';
import type { SeriesType } from '../../domain/records/series.ts';
import { dayMs, isoTime } from '../../domain/time/time.ts';
import { selectExportSamples } from '../../services/timeseries/removal/queries/select-export.ts';
import { readSamples } from '../../services/timeseries/samples/samples.ts';
import type { Bench } from '../bench.ts';
import { startMs } from '../dataset/plan.ts';
import type { Unit } from '../row.ts';
import type { CompressionSide } from './pair.ts';

/** One comparison: it is measured once a round on each side. */
export interface Comparison {
  readonly what: string;
  readonly unit: Unit;
  readonly rounds: number;
  measure(side: CompressionSide, name: 'a' | 'b'): Promise<number>;
}

const settings = {
  sourcePriority: [],
  sourceOrder: { providers: [], deviceTypes: [] },
  shownAs: (provider: string) => provider,
};

interface PageChoice {
  readonly what: string;
  readonly user_id: string;
  readonly days: number;
  readonly resolution: Resolution;
  readonly types?: readonly SeriesType[];
  /** The number of days to choose the start of a range from. */
  readonly within: number;
}

/** Pages and the export. */
export function readers(bench: Bench): Comparison[] {
  const { plan, sizes } = bench;
  const { days, hertzDays } = sizes.compression;
  const minute = { user_id: plan.minuteId, within: days };
  const one: readonly SeriesType[] = ['heart_rate'];
  return [
    page(bench, {
      ...minute,
      what: 'page of 100 of a day, 1 series',
      days: 1,
      resolution: 'raw',
      types: one,
    }),
    page(bench, { ...minute, what: 'page of 100 of a day, 8 series', days: 1, resolution: 'raw' }),
    page(bench, { ...minute, what: `15min page of ${days} days, 8 series`, days, resolution: '15min' }),
    page(bench, {
      what: '15min page of a day at 1/s',
      user_id: plan.hertzId,
      days: 1,
      resolution: '15min',
      within: hertzDays,
    }),
    {
      what: 'export of the series at 1/s',
      unit: 'values/s',
      rounds: sizes.rounds,
      measure: (side) => exportRate(side, plan.hertzId),
    },
  ];
}

function page(bench: Bench, { what, user_id, days, resolution, types, within }: PageChoice): Comparison {
  const requests = bench.sizes.requestsPerRound;
  return {
    what,
    unit: 'ms',
    rounds: bench.sizes.rounds,
    async measure({ pages }) {
      const took: number[] = [];
      for (let index = 0; index < requests; index += 1) {
        const firstMs = startMs + ((index * 7) % Math.max(1, within - days + 1)) * dayMs;
        const [start_time, end_time] = [firstMs, firstMs + days * dayMs].map((ms) => ({
          ms,
          dateOnly: false,
        }));
        if (start_time === undefined || end_time === undefined) break;
        const began = performance.now();
        const query = { user_id, start_time, end_time, resolution, limit: 100, types };
        const { data } = await readSamples(pages, settings, query);
        took.push(performance.now() - began);
        if (data.length === 0) throw new Error(`${what}: no samples from ${isoTime(firstMs)}`);
      }
      return took.toSorted((x, y) => x - y)[Math.floor(took.length / 2)] ?? Number.NaN;
    },
  };
}

async function exportRate({ database }: CompressionSide, userId: string): Promise<number> {
  const [series] = await database.query<{ id: number }>(
    'select id from timeseries.series where user_id = $1',
    [userId],
  );
  const began = performance.now();
  let read = 0;
  let after = 0;
  for (let most = 5000, rows = most; rows === most && series !== undefined; ) {
    const { at } = await selectExportSamples(database, userId, series.id, after, most);
    after = at.at(-1) ?? after;
    rows = at.length;
    read += rows;
  }
  return (read * 1000) / (performance.now() - began);
}
