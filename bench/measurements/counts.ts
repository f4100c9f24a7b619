import pg from 'pg';
import { seriesOf } from '../../domain/records/series.ts';
import { databaseOf, planningOptions } from '../../mixins/database/database.ts';
import { countSeries } from '../../services/timeseries/samples/queries/count-series.ts';
import { piecesOf } from '../../services/timeseries/samples/range-pieces.ts';
import type { Bench, Measurement } from '../bench.ts';
import { startMs } from '../dataset/plan.ts';
import { inRounds } from '../rounds.ts';
import { pairRow, singleRow } from '../row.ts';

const shortTimes = 30;

/** The exact total_count from statistics, against count(*) over the same rows. */
export const counts: Measurement = {
  name: 'counts',
  async run(bench) {
    const rows = [];
    const pool = new pg.Pool({ connectionString: bench.databaseUrl, max: 1, ...planningOptions('once') });
    try {
      for (const matching of bench.sizes.counted) rows.push(...(await compare(bench, pool, matching)));
    } finally {
      await pool.end();
    }
    return {
      title: 'Exact total_count',
      about:
        'Database time, with the way to it over one connection: the 1 Hz series, from an odd second on, so that both edges of the range are counted from samples. A: the statement of the product. B: select count(*) over the same range. Both gave the same number.',
      rows,
    };
  },
};

async function compare({ pool: other, plan, sizes }: Bench, pool: pg.Pool, matching: number) {
  const database = databaseOf(pool);
  const types = [seriesOf('heart_rate').id];
  const first = startMs + 7_777_000;
  const range = { startMs: first, endMs: first + matching * sizes.hertzEverySeconds * 1000 };
  const count = () => countSeries(database, plan.hertzId, types, piecesOf(range), null);
  const [series] = await count();
  if (series === undefined) throw new Error('the 1 Hz user has no series');
  const ours = async () => (await count())[0]?.n;
  const statement = {
    name: 'bench-count',
    text: 'select count(*)::int as n from timeseries.sample where series_id = $1 and ts >= $2 and ts < $3',
  };
  const values = [series.id, new Date(range.startMs).toISOString(), new Date(range.endMs).toISOString()];
  const brute = async () => (await databaseOf(other).query<{ n: number }>(statement, values))[0]?.n;
  const [n, expected] = [await ours(), await brute()];
  if (n !== expected || n !== matching) throw new Error(`counted ${n}, count(*) says ${expected}`);
  const { a, b } = await inRounds(sizes.rounds, { a: timed(ours, shortTimes), b: timed(brute, 1) });
  const what = `${matching.toLocaleString('en')} rows`;
  return [
    pairRow({ what, a, b, unit: 'ms' }),
    ...(matching >= 10_000_000
      ? [singleRow({ what: `${what}: database time`, value: a.median, unit: 'ms', goal: { most: 2 } })]
      : []),
  ];
}

function timed(work: () => Promise<unknown>, times: number) {
  return async () => {
    const began = performance.now();
    for (let time = 0; time < times; time++) await work();
    return (performance.now() - began) / times;
  };
}
