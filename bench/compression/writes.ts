import { dayMs } from '../../domain/time/time.ts';
import { type StoredSample, writeStoredSamples } from '../../services/timeseries/queries/upsert-samples.ts';
import type { Bench } from '../bench.ts';
import { insertSeries } from '../dataset/insert-samples.ts';
import { startMs } from '../dataset/plan.ts';
import type { Comparison } from './reads.ts';

/** Writes of old data. Each round takes another day, and its samples as they are or changed. */
export function writers(bench: Bench): Comparison[] {
  const { minuteId, hertzId } = bench.plan;
  const { days, hertzDays } = bench.sizes.compression;
  return [
    upsert(bench, 'an old day of 8 series, unchanged', { userId: minuteId, days, from: 0, change: 0 }),
    upsert(bench, 'an old day of 8 series, changed', { userId: minuteId, days, from: 40, change: 1 }),
    upsert(bench, 'an old day at 1/s, changed', { userId: hertzId, days: hertzDays, from: 0, change: 1 }),
    backfill(bench),
  ];
}

interface Day {
  readonly userId: string;
  readonly days: number;
  /** The first day, so that comparisons do not write the same. */
  readonly from: number;
  readonly change: number;
}

function upsert(bench: Bench, what: string, { userId, days, from, change }: Day): Comparison {
  const done = { a: 0, b: 0 };
  return {
    what,
    unit: 'values/s',
    rounds: bench.sizes.rounds,
    async measure({ database }, name) {
      const firstMs = startMs + ((from + done[name]) % days) * dayMs;
      done[name] += 1;
      const rows = await database.query<StoredSample>(
        `select x.series_id, (extract(epoch from x.ts) * 1000)::float8 as ms, x.value + $4 as value, x.zone_offset_minutes
         from timeseries.sample x
         where x.series_id = any(array(select id from timeseries.series where user_id = $1)) and x.ts >= $2 and x.ts < $3
         order by 1, 2`,
        [userId, new Date(firstMs), new Date(firstMs + dayMs), change],
      );
      return rate(rows.length, () => database.transaction((all) => writeStoredSamples(all, rows)));
    },
  };
}

/** A new series at 1/min for a month, among compressed ones. */
function backfill(bench: Bench): Comparison {
  const days = Math.min(28, bench.sizes.compression.days);
  let made = 0;
  return {
    what: `${days} days of a new series at 1/min`,
    unit: 'values/s',
    rounds: bench.sizes.rounds,
    async measure({ database }) {
      made += 1;
      const [minutely] = bench.plan.others;
      const [first] = minutely?.series ?? [];
      if (minutely === undefined || first === undefined) throw new Error('the plan has no series at 1/min');
      const userId = `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`;
      const cohort = await insertSeries(database.pool, { ...minutely, series: [{ ...first, userId }] });
      const [id = 0] = cohort.ids;
      const rows = Array.from({ length: days * 1440 }, (_, minute) => ({
        series_id: id,
        ms: startMs + minute * 60_000,
        value: 60 + ((minute * 7919) % 97),
        zone_offset_minutes: 0,
      }));
      return rate(rows.length, () => database.transaction((all) => writeStoredSamples(all, rows)));
    },
  };
}

async function rate(rows: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (rows * 1000) / (performance.now() - began);
}
