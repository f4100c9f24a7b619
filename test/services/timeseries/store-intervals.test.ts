import t from 'tap';
import type { z } from 'zod';
import type { IntervalRecord } from '../../../domain/records/interval-records.ts';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import { refusal } from '../../support/refusal.ts';
import { phone, steps, watch } from './interval-items.ts';
import { at, epoch, item } from './items.ts';
import { anotherUser, type Setting, setUp, withUser } from './setting.ts';

const s = await setUp(t);
const sources = [watch, phone];

interface Stored {
  device: string;
  type_id: number;
  start_time: string;
  duration_ms: number;
  value: number;
  zone_offset_minutes: number;
}

async function newUser() {
  const { id } = await s.call('users.create', {});
  const whose = { user_id: id, provider: 'devicemaker' as const };
  return {
    id,
    store: (
      intervals: z.input<typeof IntervalRecord>[],
      deleted_ids: string[] = [],
      has_content_ids = false,
    ) => s.call('timeseries.storeIntervals', { ...whose, sources, intervals, deleted_ids, has_content_ids }),
    replace: (
      intervals: z.input<typeof IntervalRecord>[],
      span: { start_ms: number; end_ms: number; of?: 'all' | 'merged' | 'devices' },
    ) =>
      s.call('timeseries.replaceIntervals', {
        ...{ ...whose, sources: [...sources, merged], intervals },
        spans: [{ type: 'steps' as const, ...span }],
      }),
    remove: (ids: string[]) => s.call('timeseries.deleteIntervals', { ...whose, ids }),
    stored: () =>
      s.database.query<Stored>(
        `select s.device, s.type_id, date_trunc('milliseconds', v.start_time)::text as start_time, v.duration_ms, v.value, v.zone_offset_minutes
         from timeseries.series s join timeseries.interval_value v on v.series_id = s.id
         where s.user_id = $1 order by date_trunc('milliseconds', v.start_time), s.device, v.value`,
        [id],
      ),
  };
}
const merged = { device_type: 'merged' as const, device: 'All devices' };
const nothing = { saved: 0, replaced: 0, unchanged: 0, deleted: 0, ignored_ids: [] };
const nine = at('09:00:00');

t.test('stores intervals with start, end and source', async (t) => {
  const { store, stored } = await newUser();
  const given = [
    steps(nine, 10, 700, { zone_offset_minutes: 60 }),
    steps(nine, 5, 300, { source: 1, type: 'distance_walking_running' }),
  ];
  t.same(await store(given), { ...nothing, saved: 2 });
  t.same(await stored(), [
    {
      ...{ device: 'Phone 15', type_id: 39, start_time: '2026-03-01 09:00:00+00' },
      ...{ duration_ms: 300_000, value: 300, zone_offset_minutes: 0 },
    },
    {
      ...{ device: 'Watch 7', type_id: 31, start_time: '2026-03-01 09:00:00+00' },
      ...{ duration_ms: 600_000, value: 700, zone_offset_minutes: 60 },
    },
  ]);
});

t.test('the same id again changes nothing, or replaces the interval', async (t) => {
  const { store, stored } = await newUser();
  const one = steps(nine, 10, 700);
  await store([one]);
  t.same(await store([one]), { ...nothing, unchanged: 1 });
  const later = { ...one, source: 1, value: 650, end_ms: nine + 60_000 };
  t.same(await store([{ ...one, value: 1 }, later]), { ...nothing, replaced: 1 });
  const rows = await stored();
  t.same(
    rows.map(({ device, value, duration_ms }) => [device, value, duration_ms]),
    [['Phone 15', 650, 60_000]],
  );
});

t.test('a deleted id disappears and stays deleted, whatever order chunks arrive in', async (t) => {
  const { store, stored, remove } = await newUser();
  const [one, two, late] = [steps(nine, 10, 1), steps(nine, 10, 2), steps(nine, 10, 3)];
  await store([one, two]);
  t.same(await store([], [one.id]), { ...nothing, deleted: 1 });
  t.same(await remove([two.id, late.id]), { ...nothing, deleted: 1 });
  t.same(await store([one, late]), { ...nothing, ignored_ids: [one.id, late.id] });
  t.same(await remove([one.id]), nothing);
  t.same(await stored(), []);
});

t.test('replaces a span: what was not read again is gone, what lies outside stays', async (t) => {
  const { store, stored, replace } = await newUser();
  const span = { start_ms: nine, end_ms: at('10:00:00') };
  const before = steps(at('08:55:00'), 10, 1);
  const [kept, gone, after] = [steps(nine, 5, 2), steps(at('09:30:00'), 5, 3), steps(at('10:00:00'), 5, 4)];
  const otherType = steps(at('09:30:00'), 5, 5, { type: 'energy' });
  await store([before, kept, gone, after, otherType]);
  const added = steps(at('09:40:00'), 5, 6, { source: 1 });
  t.same(await replace([kept, added], span), { ...nothing, saved: 1, unchanged: 1, deleted: 1 });
  t.same(await replace([kept, added], span), { ...nothing, unchanged: 2 });
  t.same(
    (await stored()).map(({ value }) => value),
    [1, 2, 5, 6, 4],
  );
  t.same(await replace([], span), { ...nothing, deleted: 2 });
  t.same(await replace([gone], span), { ...nothing, saved: 1 }, 'a span may contain it again');
});

t.test('replaces the merge of a provider without its devices, and the devices without it', async (t) => {
  const { store, stored, replace } = await newUser();
  const span = { start_ms: nine, end_ms: at('10:00:00') };
  await store([steps(nine, 5, 1)]);
  t.same(await replace([steps(nine, 5, 2, { source: 2 })], { ...span, of: 'merged' }), {
    ...nothing,
    saved: 1,
  });
  await replace([], { ...span, of: 'devices' });
  t.same(
    (await stored()).map(({ device, value }) => [device, value]),
    [['All devices', 2]],
  );
});

t.test('intervals that cannot be are ignored one by one', async (t) => {
  const { store, stored } = await newUser();
  const good = steps(nine, 5, 1);
  const bad = [
    steps(nine, -1, 1),
    steps(nine, 8 * 24 * 60, 1),
    steps(nine, 5, -1),
    steps(nine, 5, 1, { source: 7 }),
    steps(Date.UTC(1980, 0), 5, 1),
    steps(Date.now() + 2 * dayMs, 5, 1),
  ];
  t.same(await store([...bad, good]), { ...nothing, saved: 1, ignored_ids: bad.map(({ id }) => id) });
  t.equal((await stored()).length, 1);
});

t.test('two sources with the same name have different series', async (t) => {
  const { id } = await newUser();
  const same = [watch, { ...watch, app: 'Runner' }, { ...watch, app: 'Runner', device_id: 'w-2' }];
  await s.call('timeseries.storeIntervals', {
    ...{ user_id: id, provider: 'devicemaker', sources: same },
    intervals: [0, 1, 2].map((source) => steps(nine, 5, source, { source })),
  });
  const rows = await s.database.query<{ device: string }>(
    'select device from timeseries.series where user_id = $1 order by id',
    [id],
  );
  t.same(
    rows.map(({ device }) => device),
    ['Watch 7', 'Watch 7 (Runner)', 'Watch 7 (Runner) 2'],
  );
});

t.test('without an offset the latest known one of the user counts', async (t) => {
  const { store, stored } = await newUser();
  await store([steps(at('08:00:00'), 5, 1, { zone_offset_minutes: 120 })]);
  await store([steps(nine, 5, 2, { zone_offset_minutes: null })]);
  t.same(
    (await stored()).map(({ zone_offset_minutes }) => zone_offset_minutes),
    [120, 120],
  );
});

t.test('intervals of an erased user are refused', async (t) => {
  const user = withUser(s.database, s.call, (await newUser()).id);
  await s.call('timeseries.erase', { user_id: user.userId });
  const stored = s.call('timeseries.storeIntervals', {
    ...{ user_id: user.userId, provider: 'devicemaker', sources },
    intervals: [steps(nine, 5, 1)],
  });
  await t.rejects(stored, refusal('USER_ERASED'));
});

t.test('ids of the content of intervals are stored as others are', async (t) => {
  const [byIds, byContent] = [await newUser(), await newUser()];
  const given = (from: number, to: number, more: object = {}) =>
    Array.from({ length: to - from }, (_, index) => {
      const minute = from + index;
      const source = minute % 2;
      return {
        ...steps(nine + minute * 60_000, 2, minute, { source, ...more }),
        id: `of ${minute} ${source}`,
      };
    });
  const ofOther = given(0, 4, { type: 'distance_walking_running' }).map((one) => ({
    ...one,
    id: `d ${one.id}`,
  }));
  for (const [intervals, deleted] of [
    [given(5, 10)],
    [given(8, 13)],
    [ofOther],
    [given(2, 20).toReversed()],
    [given(2, 20)],
    // What a file has by a name becomes another series with an upgrade.
    [given(12, 16, { type: 'flights_climbed' })],
    [given(4, 6, { zone_offset_minutes: 60 })],
    [given(30, 31), ['of 9 1']],
    [given(7, 12)],
    [[...given(40, 42), ...given(40, 42), steps(8e15, 1, 1)]],
    [[]],
  ] as const) {
    const outcome = await byContent.store([...intervals], [...(deleted ?? [])], true);
    t.same(outcome, await byIds.store([...intervals], [...(deleted ?? [])]));
  }
  t.same(await byContent.stored(), await byIds.stored());
  t.equal((await byContent.stored()).length, 18 + 4 + 1 + 2 - 1);
});

const range = { start_time: '2026-01-01', end_time: '2026-12-31', types: ['steps' as const], limit: 100 };

const slot = (index: number, value: number, fields: Parameters<typeof epoch>[1] = {}) => {
  const startMs = nine + index * 15 * minuteMs;
  const part = epoch(startMs, { values: { steps: value, average_met: 3 }, ...fields });
  return item({ data_type: 'epochs', key: `${startMs}/${part.activity_type}`, epoch: part });
};

/** What both devices counted of the same hour. */
async function walk(user: Setting, order: 'watch first' | 'phone first') {
  const byWatch = () => user.store([0, 1, 2, 3].map((index) => slot(index, 2250)));
  const byPhone = () =>
    user.storeIntervals(
      [phone],
      [0, 10, 20].map((minute) => steps(nine + minute * minuteMs, 10, 1300)),
      'phone',
    );
  for (const store of order === 'watch first' ? [byWatch, byPhone] : [byPhone, byWatch]) await store();
}

async function hours(user_id: string, resolution: '15min' | '1hour') {
  const { data } = await s.call('timeseries.samples', { user_id, ...range, resolution });
  return data.map(({ timestamp, source, value }) => [
    (Date.parse(timestamp) - nine) / minuteMs,
    source.provider,
    value,
  ]);
}

for (const order of ['watch first', 'phone first'] as const)
  t.test(`a walk that epochs and a phone counted is counted once: ${order}`, async (t) => {
    const user = await anotherUser(s);
    await walk(user, order);
    t.same(await hours(user.userId, '1hour'), [[0, 'devicemaker', 9000]]);
    t.same(
      await hours(user.userId, '15min'),
      [0, 15, 30, 45].map((minute) => [minute, 'devicemaker', 2250]),
    );
  });

const receivedMs = nine + hourMs;

t.test('a slot that is processed again with another sum has the new one', async (t) => {
  const user = await anotherUser(s);
  const { userId: user_id } = user;
  const wrong = slot(0, 2);
  const right = { ...wrong, epoch: epoch(nine, { values: { steps: 2250 } }) };
  const given = { user_id, provider: 'devicemaker' as const, received_ms: receivedMs };
  await s.call('timeseries.store', { ...given, items: [wrong] });
  await s.call('timeseries.store', { ...given, items: [right], normaliser_version: 2, reprocess: true });
  t.same(await hours(user_id, '1hour'), [[0, 'devicemaker', 2250]]);
});
