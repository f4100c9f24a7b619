import type { Resolution } from '../../contracts/timeseries/schemas.ts';
import { seriesOf } from '../../domain/records/series.ts';
import { isoTime } from '../../domain/time/time.ts';
import { databaseOf, planningOptions } from '../../mixins/database/database.ts';
import { piecesOf } from '../../services/timeseries/rules/scan-range.ts';
import { countSeries } from '../../services/timeseries/tables/sample-pages.ts';
import { startMs } from '../dataset/plan.ts';
import type { Line } from '../lines.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { PageHead, samplesPath, spread, summariesPath, targetOf } from '../requests.ts';
import { meanMs } from '../rounds.ts';

/** The cost of a page by the length of its range, for each resolution. */
export const ranges: Measurement = {
  name: 'ranges',
  title: 'A page by the length of its range',
  *lines({ product, plan, sizes }) {
    yield 'Median time of an answer over one connection: first page of 50, of the user with eight series at 1/min, heart_rate alone and all eight. A: a year. B: a day.';
    for (const types of ['heart_rate', null])
      for (const resolution of ['raw', '1min', '5min', '15min', '1hour']) {
        const query = { resolution, limit: 50, ...(types === null ? {} : { types }) };
        const target = (days: number) => {
          const paths = spread(sizes, days).map((range) => samplesPath(plan.minuteId, range, query));
          return targetOf(product, paths);
        };
        yield {
          what: `${resolution}, ${types ?? 'all series'}`,
          times: [target(sizes.days), target(1)],
          beside: ['30 days', target(Math.min(30, sizes.days))],
          goal: { most: 1.5 },
        };
      }
  },
};

/** Page sizes with which a year has more than a thousand pages of each resolution. */
const deepPages: readonly (readonly [Resolution, limit: number])[] = [
  ['raw', 50],
  ['1min', 50],
  ['5min', 50],
  ['15min', 20],
  ['1hour', 5],
];

/** A page in the middle of a range against the first one. */
export const depth: Measurement = {
  name: 'depth',
  title: 'A page from the middle',
  async *lines(bench) {
    const { product, plan, sizes } = bench;
    yield `Median time of an answer over one connection: heart_rate of a year at 1/min. A: page ${sizes.deepPage}, by its cursor. B: page 1.`;
    for (const [resolution, limit] of deepPages) {
      const pathOf = (more: object) =>
        samplesPath(
          plan.minuteId,
          { first: 0, count: sizes.days },
          { types: 'heart_rate', resolution, limit, ...more },
        );
      const cursor = await cursorOf(bench, pathOf);
      yield {
        what: `${resolution}, pages of ${limit}`,
        times: [targetOf(product, pathOf({ cursor })), targetOf(product, pathOf({}))],
        goal: { most: 1.5 },
      };
    }
  },
};

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

const hertzPages: readonly (readonly [Resolution, limit: number])[] = [
  ['1hour', 50],
  ['1hour', 100],
  ['15min', 50],
  ['5min', 50],
  ['1min', 50],
  ['raw', 50],
];

/** The cost of a user with samples at 1 Hz against one at 1/min. */
export const hertz: Measurement = {
  name: 'hertz',
  title: 'The 1 Hz user',
  *lines({ product, plan, sizes }) {
    yield 'Median time of an answer over one connection, heart_rate. A: 31.5 million samples a year. B: 525,600.';
    for (const [resolution, limit] of hertzPages) {
      const query = { types: 'heart_rate', resolution, limit };
      const target = (userId: string) =>
        targetOf(product, samplesPath(userId, { first: 0, count: sizes.days }, query));
      yield {
        what: `${resolution} over a year, page of ${limit}`,
        times: [target(plan.hertzId), target(plan.minuteId)],
        goal: resolution === '1hour' ? { most: 2 } : undefined,
      };
    }
  },
};

/** Activity summaries by their number of days, from a provider's totals and from samples only. */
export const activity: Measurement = {
  name: 'activity',
  title: 'Activity summaries',
  *lines({ product, plan, sizes }) {
    yield 'One page with all days. Median time of a warm answer over one connection, A: 365 days, B: 7 days; then answers a second over 16 connections, A: 365 days, B: 30 days.';
    for (const [source, userId, goal] of [
      ['from samples alone', plan.minuteId, { most: 20 }],
      ["from a provider's totals", plan.totalsId, undefined],
    ] as const) {
      const target = (days: number) =>
        targetOf(product, summariesPath(userId, 'activity', { first: 0, count: Math.min(days, sizes.days) }));
      yield {
        what: source,
        times: [target(365), target(7)],
        beside: ['30 days', target(30)],
        goal: { most: 10 },
        alone: { what: `${source}: one warm request of 365 days`, goal },
      };
      yield { what: `${source}: answers a second`, rates: [target(365), target(30)] };
    }
  },
};

/** The exact total_count from statistics, against count(*) over the same rows. */
export const counts: Measurement = {
  name: 'counts',
  title: 'Exact total_count',
  async *lines(bench) {
    yield 'Database time, with the way to it over one connection: the 1 Hz series, from an odd second on, so that both edges of the range are counted from samples. A: the statement of the product. B: select count(*) over the same range. Both gave the same number.';
    for (const matching of bench.sizes.counted) yield await countOf(bench, matching);
  },
};

const statement = {
  name: 'bench-count',
  text: 'select count(*)::int as n from timeseries.sample where series_id = $1 and ts >= $2 and ts < $3',
};

async function countOf({ connect, databaseUrl, plan, pool, sizes }: Bench, matching: number): Promise<Line> {
  const database = databaseOf(connect(databaseUrl, { max: 1, ...planningOptions('once') }));
  const first = startMs + 7_777_000;
  const range = { startMs: first, endMs: first + matching * sizes.hertzEverySeconds * 1000 };
  const ours = () => countSeries(database, plan.hertzId, [seriesOf('heart_rate').id], piecesOf(range), null);
  const [series] = await ours();
  const values = [series?.id, isoTime(range.startMs), isoTime(range.endMs)];
  const brute = async () => (await pool.query<{ n: number }>({ ...statement, values })).rows[0]?.n;
  const expected = await brute();
  if (series?.n !== expected || expected !== matching)
    throw new Error(`counted ${series?.n}, count(*) says ${expected}`);
  const what = `${matching.toLocaleString('en')} rows`;
  return {
    what,
    sides: [() => meanMs(ours, 30), () => meanMs(brute)],
    unit: 'ms',
    alone: matching < 10_000_000 ? undefined : { what: `${what}: database time`, goal: { most: 2 } },
  };
}
