import t from 'tap';
import type { z } from 'zod';
import type { IntervalRecord } from '../../../domain/records/interval-records.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import { dayMs, minuteMs } from '../../../domain/time/time.ts';
import { settleIntervals } from '../../../services/timeseries/work/settle-intervals.ts';
import { until } from '../../support/until.ts';
import { seeded, wrongDays } from './generated-days.ts';
import { phone, watch } from './interval-items.ts';
import { at, day, item } from './items.ts';
import { anotherUser, type Setting, setUp } from './setting.ts';

const s = await setUp(t);
const sources = [
  watch,
  phone,
  { device_type: 'ring' as const, device: 'Ring' },
  { ...watch, device: 'Watch 6', device_id: 'w-2' },
];
const types = ['steps', 'energy', 'hydration'] as const;
const startMs = at('00:00:00');
const users = 4;
const callsOfUser = 25;

for (let number = 0; number < users; number += 1)
  t.test(`statistics after random calls equal those computed anew (user ${number + 1})`, async (t) => {
    const user = await anotherUser(s);
    const random = seeded(7000 + number);
    for (let call = 0; call < callsOfUser; call += 1) await callOf(user, random, call);
    const changed = await statistics(user.userId);
    t.ok(changed.hours.length > 50 && changed.days.length > 10);
    await settleAll(user.userId);
    t.same(await statistics(user.userId), changed);
  });

t.test('calls in parallel, and another order of sources among them, leave the same statistics', async (t) => {
  const user = await anotherUser(s);
  const random = seeded(8000);
  const orders = [['phone' as const, 'ring' as const], ['ring' as const, 'watch' as const], null];
  for (const [round, device_types] of orders.entries()) {
    const calls = Array.from({ length: 12 }, (_, call) => callOf(user, random, 12 * round + call));
    await Promise.all([
      ...calls,
      s.call('timeseries.changeSourcePriority', { user_id: user.userId, device_types }),
    ]);
  }
  const isPending = `
    select from timeseries.series s join timeseries.interval_series i on i.series_id = s.id
    where s.user_id = $1 and i.settled < i.requested`;
  await until(async () => (await s.database.query(isPending, [user.userId])).length === 0);
  const changed = await statistics(user.userId);
  await settleAll(user.userId);
  t.same(await statistics(user.userId), changed);
});

/** Stores, replaces, empties or deletes; ids come from a small range, so that many of them are stored already. */
async function callOf(user: Setting, random: () => number, call: number): Promise<void> {
  const below = (most: number) => Math.floor(random() * most);
  const provider = below(4) === 0 ? ('activitynet' as const) : ('devicemaker' as const);
  const whose = { user_id: user.userId, provider, sources };
  const intervals = Array.from({ length: 1 + below(30) }, () => interval(below));
  const span = { type: types[below(3)] ?? 'steps', start_ms: startMs + below(4) * dayMs };
  const way = below(10);
  if (way < 6) {
    const deleted_ids = Array.from({ length: below(4) }, () => `id-${below(300)}`);
    await user.call('timeseries.storeIntervals', { ...whose, intervals, deleted_ids });
  } else if (way < 8)
    await user.call('timeseries.replaceIntervals', {
      ...{ ...whose, intervals: below(2) === 0 ? [] : intervals },
      spans: [{ ...span, end_ms: span.start_ms + below(dayMs) }],
    });
  else {
    const date = new Date(span.start_ms).toISOString().slice(0, 10);
    await user.store(
      [item({ duration_seconds: 100 + call, day: day(date, { steps: 1000 + call }) })],
      provider,
    );
  }
}

function interval(below: (most: number) => number): z.input<typeof IntervalRecord> {
  const start_ms = startMs + below(5 * dayMs);
  const length =
    [0, 1, 999, 5000, minuteMs, 7 * minuteMs + 77, 90 * minuteMs, 26 * 60 * minuteMs][below(8)] ?? 0;
  return {
    ...{ id: `id-${below(300)}`, type: types[below(3)] ?? 'steps', source: below(sources.length) },
    ...{ start_ms, end_ms: start_ms + length, value: below(100_000) / 1000 + 0.1 },
    zone_offset_minutes: [0, 60, 120, -300, 345, null][below(6)] ?? null,
  };
}

async function settleAll(userId: string): Promise<void> {
  const [row] = await s.database.query<{ ranked_by: string }>(
    'select ranked_by from timeseries.interval_set where user_id = $1 limit 1',
    [userId],
  );
  const [providers = [], deviceTypes = []] = (row?.ranked_by ?? '')
    .split(';')
    .map((names) => names.split(','));
  const span = { startMs: startMs - 3 * dayMs, endMs: startMs + 9 * dayMs };
  await s.database.transaction((transaction) =>
    settleIntervals(
      transaction,
      { user_id: userId, order: { providers, deviceTypes } },
      types.map((type) => ({ type_id: seriesOf(type).id, ...span })),
    ),
  );
}

async function statistics(userId: string) {
  const rows = (table: string, columns: string) =>
    s.database.query(
      `select ${columns} from timeseries.${table} join timeseries.series s on s.id = series_id
       where s.user_id = $1 order by series_id, ${columns}`,
      [userId],
    );
  return {
    hours: await rows('sample_hour', 'bucket::text, n, sum, min, max, last, mask::text'),
    utcDays: await rows('sample_day', 'bucket::text, n, n1, n5, n15, n60'),
    days: await rows('sample_local_day', 'date::text, n, sum, min, max, own'),
  };
}

// `npm run test:faults -- intervals` generates 10,000.
t.test('generated days of overlapping sources equal the sums second by second', async (t) => {
  t.same(await wrongDays(s, 20_260_301, 40), []);
});
