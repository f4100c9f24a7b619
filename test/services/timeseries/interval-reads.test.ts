import t from 'tap';
import { minuteMs } from '../../../domain/time/time.ts';
import { differences, generatedDay, perSecond, seeded, storeMeasured } from './generated-days.ts';
import { phone, steps, watch } from './interval-items.ts';
import { at, block, item } from './items.ts';
import { anotherUser, pageThrough, setUp } from './setting.ts';

const s = await setUp(t);
const whole = { start_time: '2026-01-01', end_time: '2026-12-31', types: ['steps' as const] };
const sizes = [
  ['1min', 60],
  ['5min', 300],
  ['15min', 900],
  ['1hour', 3600],
] as const;

const newUser = () => anotherUser(s);

type Range = Omit<Parameters<typeof s.call<'timeseries.samples'>>[1], 'user_id'>;
const read = (user_id: string, range: Range) =>
  pageThrough((cursor) => s.call('timeseries.samples', { user_id, ...range, cursor }));

t.test('pages of buckets add up what counts second by second', async (t) => {
  const random = seeded(7);
  for (const number of [1, 2, 3]) {
    const user = await newUser();
    const measured = generatedDay(random, number);
    await storeMeasured(user, measured);
    for (const [resolution, seconds] of sizes) {
      const range = { ...whole, resolution, limit: 100 };
      const { forward, backward, items } = await read(user.userId, range);
      const expected = perSecond(measured, (one, second) => {
        const start = new Date(Math.floor(second / seconds) * seconds * 1000).toISOString();
        return `${start} ${one.provider} ${one.source.device}`;
      });
      const stored = new Map(
        items.map(({ timestamp, source, value }) => [
          `${new Date(timestamp).toISOString()} ${source.provider} ${source.device}`,
          value,
        ]),
      );
      t.same(differences(stored, expected), [], resolution);
      t.equal(stored.size, items.length, 'no bucket twice');
      t.equal(forward[0]?.pagination.total_count, expected.size, 'the exact number of buckets');
      t.same(
        backward.map(({ data }) => data),
        forward.slice(0, -1).map(({ data }) => data),
      );
    }
  }
});

t.test('at raw resolution each interval is one value at its start', async (t) => {
  const user = await newUser();
  const measured = generatedDay(seeded(11), 1);
  await storeMeasured(user, measured);
  const { items, forward } = await read(user.userId, { ...whole, limit: 7 });
  const shown = items.map(({ timestamp, value, source }) => [Date.parse(timestamp), value, source.device]);
  const given = measured.map(({ interval, source }) => [interval.start_ms, interval.value, source.device]);
  t.same(shown.map(String).sort(), given.map(String).sort());
  t.equal(forward[0]?.pagination.total_count, measured.length);
});

t.test('intervals of one series that begin at the same instant are all listed', async (t) => {
  const user = await newUser();
  const nine = at('09:00:00');
  const same = Array.from({ length: 9 }, (_, index) => steps(nine, 10, index));
  await user.storeIntervals([watch], same);
  const { items, forward } = await read(user.userId, { ...whole, limit: 2 });
  t.same(items.map(({ value }) => value).sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  t.equal(forward[0]?.pagination.total_count, 9);
});

t.test('samples and intervals are merged in the order of time', async (t) => {
  const user = await newUser();
  const nine = at('09:00:00');
  const samples = [
    block(
      'steps',
      [0, 20, 40].map((minute) => [nine + minute * minuteMs, 1] as const),
    ),
  ];
  await user.store([item({ samples: samples.map((one) => ({ ...one, device: 'Band 2' })) })]);
  await user.storeIntervals([watch], [steps(nine + 10 * minuteMs, 10, 2), steps(nine + 30 * minuteMs, 5, 3)]);
  for (const [resolution, limit] of [
    ['raw', 2],
    ['5min', 1],
  ] as const) {
    const { items } = await read(user.userId, { ...whole, resolution, limit });
    const ofMinute = items.map(({ timestamp, value }) => [(Date.parse(timestamp) - nine) / minuteMs, value]);
    const minutes = [
      [0, 1],
      [10, resolution === 'raw' ? 2 : 1],
      ...(resolution === 'raw' ? [] : [[15, 1]]),
      [20, 1],
      [30, 3],
      [40, 1],
    ];
    t.same(ofMinute, minutes, resolution);
  }
});

t.test('samples and intervals of one device and type have series of their own', async (t) => {
  const user = await newUser();
  const nine = at('09:00:00');
  await user.storeIntervals([watch], [steps(nine, 10, 2)]);
  await user.store([item({ samples: [block('steps', [[nine + 1, 5]]), block('heart_rate', [[nine, 60]])] })]);
  const { items } = await read(user.userId, { ...whole, types: undefined, limit: 10 });
  t.same(items.map(({ source, type, value }) => [source.device, type, value]).toSorted(), [
    ['Watch 7 (samples)', 'steps', 5],
    ['Watch 7', 'heart_rate', 60],
    ['Watch 7', 'steps', 2],
  ]);
});

t.test('a range that begins within an hour counts the intervals that begin in it', async (t) => {
  const user = await newUser();
  const nine = at('09:00:00');
  await user.storeIntervals([watch], [steps(nine, 10, 1), steps(nine + 30 * minuteMs, 10, 2)]);
  const range = { ...whole, start_time: '2026-03-01T09:10:00Z', end_time: '2026-03-01T09:50:00Z' };
  const { items, forward } = await read(user.userId, range);
  t.same(
    items.map(({ value }) => value),
    [2],
  );
  t.equal(forward[0]?.pagination.total_count, 1);
});

t.test('a source that counts nowhere has values but no buckets', async (t) => {
  const user = await newUser();
  const nine = at('09:00:00');
  await user.storeIntervals([watch, phone], [steps(nine, 60, 60), steps(nine, 60, 50, { source: 1 })]);
  const devices = async (resolution: 'raw' | (typeof sizes)[number][0]) => {
    const { items, forward } = await read(user.userId, { ...whole, resolution, limit: 100 });
    t.equal(forward[0]?.pagination.total_count, items.length);
    return [...new Set(items.map(({ source }) => source.device))].sort();
  };
  t.same(await devices('raw'), ['Phone 15', 'Watch 7']);
  for (const resolution of ['1min', '15min', '1hour'] as const)
    t.same(await devices(resolution), ['Watch 7'], resolution);
});

t.test('a chart of a day shows what counts, in buckets', async (t) => {
  const user = await newUser();
  const nine = at('09:00:00');
  await user.storeIntervals(
    [watch, phone],
    [steps(nine, 60, 60), steps(nine + 30 * minuteMs, 60, 120, { source: 1 })],
  );
  const chart = (max_points: number, start_time = '2026-03-01', end_time = '2026-03-01') =>
    s.call('timeseries.chart', {
      user_id: user.userId,
      ...{ start_time, end_time, types: ['steps'], max_points, aggregates: ['value'] },
    });
  for (const points of [500, 40, 10]) {
    const { series } = await chart(points);
    const sums = series.map(({ source, value = [] }) => [
      source.device,
      Math.round(value.reduce((sum, one) => sum + one, 0)),
    ]);
    t.same(sums, [
      ['Phone 15', 60],
      ['Watch 7', 60],
    ]);
    t.ok(series.every(({ bucket_seconds }) => (bucket_seconds ?? 0) >= 60));
  }
});

t.test(
  'a chart of sums counts the intervals that begin in each bucket, and has no least or largest sample',
  async (t) => {
    const user = await newUser();
    const nine = at('09:00:00');
    // Six intervals of ten minutes with 3 to 577 steps, and one that begins in the same hour and ends in the next.
    const values = [3, 577, 100, 200, 200, 89];
    await user.storeIntervals(
      [watch],
      values.map((value, index) => steps(nine + index * 10 * minuteMs, index === 5 ? 20 : 10, value)),
    );
    const chart = async (resolution: '15min' | '1hour' | '1day') => {
      const { series } = await s.call('timeseries.chart', {
        ...{ user_id: user.userId, types: ['steps'], max_points: 100, resolution },
        ...{ start_time: '2026-03-01', end_time: '2026-03-01' },
        aggregates: ['min', 'max', 'count', 'value'],
      });
      return series.map(({ min, max, count, value, statistics }) => ({ min, max, count, value, statistics }));
    };
    const none = { min: undefined, max: undefined };
    const statistics = { count: 6, value: 1169, min: null, max: null };
    t.strictSame(await chart('1day'), [{ ...none, count: [6], value: [1169], statistics }]);
    t.strictSame(await chart('1hour'), [{ ...none, count: [6, 0], value: [1124.5, 44.5], statistics }]);
    t.strictSame(await chart('15min'), [
      { ...none, count: [2, 1, 2, 1, 0], value: [291.5, 388.5, 300, 144.5, 44.5], statistics },
    ]);
  },
);

t.test('a chart with one resolution has the sum of a range that begins within an hour', async (t) => {
  const user = await newUser();
  const nine = at('09:00:00');
  await user.storeIntervals([watch], [steps(nine, 120, 120)]);
  const chart = (resolution: 'finest' | 'raw') =>
    s.call('timeseries.chart', {
      ...{ user_id: user.userId, types: ['steps'], max_points: 100, aggregates: ['value'], resolution },
      ...{ start_time: '2026-03-01T09:30:00Z', end_time: '2026-03-01T10:15:00Z' },
    });
  const { series, resolution } = await chart('finest');
  t.equal(resolution, '1min');
  t.match(series, [{ source: { device: 'Watch 7' }, statistics: { value: 45 }, value: Array(45).fill(1) }]);
  t.same((await chart('raw')).series, [], 'no interval begins in the range');
});

t.test('a download and an export contain intervals', async (t) => {
  const user = await newUser();
  const nine = at('09:00:00');
  await user.storeIntervals([watch], [steps(nine, 60, 60), steps(nine + 60 * minuteMs, 60, 120)]);
  const whose = { user_id: user.userId, start_ms: nine - 1, end_ms: nine + 180 * minuteMs };
  const [series] = await s.call('timeseries.seriesInRange', { ...whose, resolution: '15min', types: null });
  const one = { ...whose, series_id: series?.series_id ?? 0, after: null, limit: 100 };
  const buckets = await s.call('timeseries.readSeries', { ...one, resolution: '15min' });
  t.same(buckets.values, [15, 15, 15, 15, 30, 30, 30, 30]);
  t.same((await s.call('timeseries.readSeries', { ...one, resolution: 'raw' })).values, [60, 120]);
});
