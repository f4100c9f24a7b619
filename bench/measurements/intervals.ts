import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { seriesOf } from '../../domain/records/series.ts';
import { dayMs, hourMs, minuteMs } from '../../domain/time/time.ts';
import { databaseOf } from '../../mixins/database/database.ts';
import { settleIntervals } from '../../services/timeseries/intervals/settle-intervals.ts';
import { storeIntervals } from '../../services/timeseries/intervals/store-intervals.ts';
import { readSamples } from '../../services/timeseries/samples/samples.ts';
import type { Bench, Measurement } from '../bench.ts';
import { freshDatabase } from '../dataset/ensure.ts';
import { startMs } from '../dataset/plan.ts';
import { startProduct } from '../product.ts';
import { inRounds } from '../rounds.ts';
import { pairRow, singleRow } from '../row.ts';

const order = { providers: ['devicemaker'], deviceTypes: ['watch', 'phone'] };
const sources = [
  { device_type: 'watch', device: 'Watch', device_id: null, app: null },
  { device_type: 'phone', device: 'Phone', device_id: null, app: null },
] as const;
const days = 30;

/** Intervals of several sources: storing them, a day computed anew, pages of buckets. */
export const intervals: Measurement = {
  name: 'intervals',
  hasOwnData: true,
  async run(bench) {
    const databaseUrl = await freshDatabase(bench, bench.sizes);
    const product = await startProduct({ databaseUrl });
    await product.stop();
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    try {
      return {
        title: 'Intervals of several sources',
        about: `Steps of a watch each minute and of a phone every ten, ${days} days of a user, over one connection. A day computed anew: all hours and the local day of one series type. A page of buckets: 100 of a quarter hour. B: a page of 100 intervals as they were sent.`,
        rows: await measure(bench, pool),
      };
    } finally {
      await pool.end();
    }
  },
};

async function measure(bench: Bench, pool: pg.Pool) {
  const database = databaseOf(pool);
  const userId = randomUUID();
  const began = performance.now();
  let stored = 0;
  for (let day = 0; day < days; day += 1) stored += await storeDay(database, userId, day);
  const perSecond = (1000 * stored) / (performance.now() - began);
  const startOf = startMs + 14 * dayMs;
  const touched = { type_id: seriesOf('steps').id, startMs: startOf, endMs: startOf + dayMs };
  const page = (resolution: '15min' | 'raw') =>
    readSamples(
      database,
      { sourcePriority: [], sourceOrder: order, shownAs: (name) => name },
      {
        ...{ user_id: userId, types: ['steps'], resolution, limit: 100 },
        start_time: { ms: startOf, dateOnly: false },
        end_time: { ms: startOf + 10 * dayMs, dateOnly: false },
      },
    );
  const settle = () =>
    database.transaction((transaction) =>
      settleIntervals(transaction, { user_id: userId, order }, [touched]),
    );
  const times = await inRounds(bench.sizes.rounds, {
    settle: () => timed(settle),
    buckets: () => timed(() => page('15min')),
    raw: () => timed(() => page('raw')),
  });
  return [
    singleRow({
      what: 'intervals stored a second',
      value: perSecond,
      unit: '/s',
      note: '(2,000 a call at most)',
    }),
    singleRow({ what: 'a day computed anew', value: times.settle.median, unit: 'ms', goal: { most: 20 } }),
    pairRow({ what: 'page of buckets, of intervals', a: times.buckets, b: times.raw, unit: 'ms' }),
  ];
}

/** The mean time of some runs in milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const runs = 10;
  const began = performance.now();
  for (let run = 0; run < runs; run += 1) await work();
  return (performance.now() - began) / runs;
}

async function storeDay(database: ReturnType<typeof databaseOf>, userId: string, day: number) {
  const dayStart = startMs + day * dayMs;
  const of = (source: number, count: number, minutes: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ id: randomUUID(), type: 'steps' as const, source, zone_offset_minutes: 0, value: 10 * minutes },
      start_ms: dayStart + index * minutes * minuteMs,
      end_ms: dayStart + (index + 1) * minutes * minuteMs,
    }));
  const given = [...of(0, dayMs / minuteMs, 1), ...of(1, dayMs / (10 * minuteMs), 10)];
  const request = { user_id: userId, provider: 'devicemaker', sources, intervals: given };
  const { saved } = await storeIntervals(
    database,
    { ...request, spans: [], deleted_ids: [] },
    { nowMs: dayStart + 48 * hourMs, firstDay: null, order, timeZone: null },
  );
  return saved;
}
