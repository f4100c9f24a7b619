import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { seriesOf } from '../../domain/records/series.ts';
import { dayMs, hourMs, isoTime, minuteMs } from '../../domain/time/time.ts';
import { databaseOf } from '../../mixins/database/database.ts';
import { readSamples } from '../../services/timeseries/actions/samples.ts';
import { keptAll } from '../../services/timeseries/work/kept-days.ts';
import { settleIntervals } from '../../services/timeseries/work/settle-intervals.ts';
import { storeIntervals } from '../../services/timeseries/work/store-intervals.ts';
import { startMs } from '../dataset/plan.ts';
import type { Measurement } from '../measurement.ts';
import type { Product } from '../product.ts';
import { Id } from '../requests.ts';
import { inRounds, meanMs } from '../rounds.ts';

const [chunk, senders, chunksPerSender, wanted] = [2000, 4, 10, 50_000];
const Answer = z.object({ stored: z.int() });

/** Items that apps on phones upload. */
export const uploads: Measurement = {
  name: 'uploads',
  title: 'Uploads of phones',
  hasOwnData: true,
  async *lines({ sizes, startEmpty }) {
    yield `${senders} apps upload chunks of ${chunk.toLocaleString('en')} items at once, all services in one process: until the answers, by which all items are stored.`;
    const { product } = await startEmpty();
    const items = senders * chunksPerSender * chunk;
    for (const kind of ['samples', 'intervals'] as const) {
      const round = async () => {
        const users = await Promise.all(Array.from({ length: senders }, () => newUser(product)));
        return (
          (1000 * items) / (await meanMs(() => Promise.all(users.map((user) => upload(product, user, kind)))))
        );
      };
      const [value = []] = await inRounds(sizes.rounds, [round]);
      yield { what: `${kind} stored`, value, unit: 'items/s', note: `(goal ${wanted.toLocaleString('en')})` };
    }
  },
};

async function newUser(product: Product): Promise<string> {
  return Id.parse(await product.post('/users', { external_user_id: randomUUID() })).id;
}

async function upload(product: Product, user: string, kind: 'samples' | 'intervals'): Promise<void> {
  for (let index = 0; index < chunksPerSender; index += 1) {
    const records = Array.from({ length: chunk }, (_, at) => recordOf(index * chunk + at, kind));
    const answer = await product.post(`/sdk/users/${user}/sync`, { provider: 'google', data: { records } });
    const { stored } = Answer.parse(answer);
    if (stored !== chunk) throw new Error(`${stored} of ${chunk} items were stored`);
  }
}

function recordOf(index: number, kind: 'samples' | 'intervals'): object {
  const at = Date.UTC(2026, 0, 1) + index * 5000;
  const isSample = kind === 'samples';
  return {
    id: randomUUID(),
    type: isSample ? 'HEART_RATE' : 'STEP_COUNT',
    startDate: isoTime(at),
    endDate: isoTime(isSample ? at : at + 5000),
    zoneOffset: '+01:00',
    value: 60 + (index % 50),
    unit: isSample ? 'bpm' : 'count',
    source: { deviceName: 'Pixel Watch', deviceType: 'watch' },
  };
}

const order = { providers: ['devicemaker'], deviceTypes: ['watch', 'phone'] };
const sources = [
  { device_type: 'watch', device: 'Watch', device_id: null, app: null },
  { device_type: 'phone', device: 'Phone', device_id: null, app: null },
] as const;
const [days, runs] = [30, 10];

/** Intervals of several sources: storing them, a day computed anew, pages of buckets. */
export const intervals: Measurement = {
  name: 'intervals',
  title: 'Intervals of several sources',
  hasOwnData: true,
  async *lines(bench) {
    yield `Steps of a watch each minute and of a phone every ten, ${days} days of a user, over one connection. A day computed anew: all hours and the local day of one series type. A page of buckets: 100 of a quarter hour. B: a page of 100 intervals as they were sent.`;
    const { pool, product } = await bench.startEmpty();
    await product.stop();
    const database = databaseOf(pool);
    const user_id = randomUUID();
    let stored = 0;
    const storingMs = await meanMs(async () => {
      for (let day = 0; day < days; day += 1) {
        const dayStart = startMs + day * dayMs;
        const when = { nowMs: dayStart + 48 * hourMs, kept: keptAll, order, timeZone: null };
        stored += (await storeIntervals(database, dayOf(user_id, dayStart), when)).saved;
      }
    });
    const value = (1000 * stored) / storingMs;
    yield { what: 'intervals stored a second', value, unit: '/s', note: '(2,000 a call at most)' };
    const from = startMs + 14 * dayMs;
    const touched = { type_id: seriesOf('steps').id, startMs: from, endMs: from + dayMs };
    const settle = () =>
      database.transaction((transaction) => settleIntervals(transaction, { user_id, order }, [touched]));
    const [settled = []] = await inRounds(bench.sizes.rounds, [() => meanMs(settle, runs)]);
    yield { what: 'a day computed anew', value: settled, unit: 'ms', goal: { most: 20 } };
    const page = (resolution: '15min' | 'raw') => () =>
      readSamples(
        database,
        { sourceOrder: order, shownAs: (name) => name },
        {
          user_id,
          types: ['steps'],
          resolution,
          limit: 100,
          start_time: { ms: from, dateOnly: false },
          end_time: { ms: from + 10 * dayMs, dateOnly: false },
        },
      );
    const sides = [() => meanMs(page('15min'), runs), () => meanMs(page('raw'), runs)] as const;
    yield { what: 'page of buckets, of intervals', sides, unit: 'ms' };
  },
};

function dayOf(user_id: string, dayStart: number) {
  const of = (source: number, minutes: number) =>
    Array.from({ length: dayMs / minuteMs / minutes }, (_, index) => ({
      id: randomUUID(),
      type: 'steps' as const,
      source,
      zone_offset_minutes: 0,
      value: 10 * minutes,
      start_ms: dayStart + index * minutes * minuteMs,
      end_ms: dayStart + (index + 1) * minutes * minuteMs,
    }));
  const intervals = [...of(0, 1), ...of(1, 10)];
  return { user_id, provider: 'devicemaker', sources, intervals, spans: [], deleted_ids: [] };
}
