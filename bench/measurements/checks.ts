import { z } from 'zod';
import { seriesOf } from '../../domain/records/series.ts';
import { isoTime } from '../../domain/time/time.ts';
import { checkStatistics } from '../dataset/check.ts';
import { startMs } from '../dataset/plan.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { dateOf, samplesPath, summariesPath } from '../requests.ts';
import { countRow } from '../row.ts';

/** Compares answers of the product with a calculation from the samples. */
export const checks: Measurement = {
  name: 'checks',
  title: 'Checks',
  async *lines(bench) {
    yield 'Places chosen anew in each run; one that differs ends the bench.';
    const count = bench.sizes.checks;
    const { checked } = await checkStatistics(bench.pool, count, randomBelow(1e9));
    for (let check = 0; check < count; check++) {
      await checkPage(bench);
      await checkActivity(bench);
    }
    for (const [what, equal] of [
      ['hours, days and local days in the statistics', checked],
      ['pages over HTTP: each value, and total_count', count],
      ['days of activity from samples: steps, energy, heart rate', count],
    ] as const)
      yield countRow(what, equal, equal, `${equal.toLocaleString('en')} equal`);
  },
};

const widths = { raw: null, '1min': 60, '5min': 300, '15min': 900, '1hour': 3600 } as const;
const limit = 100;
const types = ['heart_rate', 'steps'] as const;

const Page = z.object({
  data: z.array(z.object({ timestamp: z.string(), type: z.string(), value: z.number() })),
  pagination: z.object({ total_count: z.int() }),
});

// The range is widened to whole buckets, as the product does. Raw samples are buckets of one sample.
const brute = `
  select count(*) over ()::int as total, (extract(epoch from at) * 1000)::float8 as at, type, value
  from (
    select s.id, t.name as type, at, case t.bucket when 'sum' then sum(x.value) else avg(x.value) end as value
    from timeseries.series s join timeseries.series_type t on t.id = s.type_id
    join timeseries.sample x on x.series_id = s.id and x.ts >= $3 and x.ts < $4
    cross join lateral (select case when $5::int is null then x.ts else to_timestamp(floor(extract(epoch from x.ts) / $5) * $5) end as at) b
    where s.user_id = $1 and s.type_id = any($2)
    group by 1, 2, 3, t.bucket
  ) b
  order by at, id limit ${limit}`;

async function checkPage({ plan, pool, product, sizes }: Bench): Promise<void> {
  const [resolution, width] = pick(Object.entries(widths));
  const userId = pick([plan.minuteId, plan.totalsId, ...plan.ordinaryIds]);
  const step = width ?? 1;
  const aligned = (seconds: number) => Math.floor(seconds / step) * step;
  const first = aligned(randomBelow(sizes.days * 86_400));
  const seconds = aligned(randomBelow(Math.min(20, sizes.days) * 86_400)) + step;
  const range = { first: first / 86_400, count: seconds / 86_400 };
  const query = { resolution, limit, types };
  const { data, pagination } = Page.parse(await product.get(samplesPath(userId, range, query)));
  const ids = types.map((type) => seriesOf(type).id);
  const from = startMs + first * 1000;
  const bounds = [isoTime(from), isoTime(from + seconds * 1000)];
  const { rows } = await pool.query<BruteRow>(brute, [userId, ids, ...bounds, width]);
  const same =
    pagination.total_count === (rows[0]?.total ?? 0) &&
    data.length === rows.length &&
    data.every((one, index) => isSame(one, rows[index]));
  if (!same) throw new Error(`a page differs from the samples: ${userId} ${resolution} ${bounds.join(' ')}`);
}

interface BruteRow {
  total: number;
  at: number;
  type: string;
  value: number;
}

function isSame(one: z.infer<typeof Page>['data'][number], row: BruteRow | undefined): boolean {
  if (row === undefined) return false;
  const isClose = Math.abs(one.value - row.value) <= 1e-9 * Math.max(1, Math.abs(row.value));
  return Date.parse(one.timestamp) === row.at && one.type === row.type && isClose;
}

const Rate = z.number().nullable();
const Day = z.object({
  steps: Rate,
  active_calories_kcal: Rate,
  heart_rate: z.object({ avg_bpm: Rate, max_bpm: Rate }),
});
const Days = z.object({ data: z.array(Day) });

const bruteDay = `
  select sum(value) filter (where type_id = $4) as steps, sum(value) filter (where type_id = $5) as energy,
    avg(value) filter (where type_id = $6) as avg, max(value) filter (where type_id = $6) as max
  from timeseries.series s join timeseries.sample x on x.series_id = s.id and x.ts > $2::date - 1 and x.ts < $2::date + 2
  where s.user_id = $1 and s.type_id = any($3)
    and (x.ts at time zone 'UTC' + x.zone_offset_minutes * interval '1 minute')::date = $2::date`;

async function checkActivity({ plan, pool, product, sizes }: Bench): Promise<void> {
  const userId = pick([plan.minuteId, ...plan.ordinaryIds]);
  const first = randomBelow(sizes.days);
  const [day] = Days.parse(await product.get(summariesPath(userId, 'activity', { first, count: 1 }))).data;
  const ids = [seriesOf('steps').id, seriesOf('energy').id, seriesOf('heart_rate').id];
  const { rows } = await pool.query(bruteDay, [userId, dateOf(first), ids, ...ids]);
  const [row] = z.array(z.record(z.string(), z.number())).parse(rows);
  const { avg = 0, steps, energy = 0, max } = row ?? {};
  const same =
    day?.steps === steps &&
    Math.abs((day?.active_calories_kcal ?? 0) - energy) <= 0.051 &&
    Math.abs((day?.heart_rate.avg_bpm ?? 0) - avg) <= 0.5 &&
    day?.heart_rate.max_bpm === max;
  if (!same) throw new Error(`a day of activity differs from its samples: ${userId} ${dateOf(first)}`);
}

function pick<T>(list: readonly T[]): T {
  const one = list[randomBelow(list.length)];
  if (one === undefined) throw new Error('there is nothing to pick from');
  return one;
}

function randomBelow(most: number): number {
  return Math.floor(Math.random() * most);
}
