import t from 'tap';
import { mostTypes, type Sample } from '../../../contracts/timeseries/schemas.ts';
import type { ErrorCode } from '../../../domain/errors.ts';
import { accepts, seriesOf, seriesTypes } from '../../../domain/records/series.ts';
import { dayMs, minuteMs } from '../../../domain/time/time.ts';
import { likelyBound } from '../../../services/timeseries/rules/scan-range.ts';
import { refusal } from '../../support/refusal.ts';
import { at, block, item } from './items.ts';
import {
  expected,
  inOrder,
  isClose,
  type ModelBucket,
  type ModelSample,
  minutesOf,
  modelTypes,
  seeded,
} from './model.ts';
import { anotherUser, pageThrough, type Setting, setUp, unknownUser } from './setting.ts';

const shared = await setUp(t);

const resolutions = ['raw', '1min', '5min', '15min', '1hour'] as const;
const ranges = [
  ['the whole', '2026-02-27T00:00:00Z', '2026-03-05T00:00:00Z'],
  ['edges within hours', '2026-02-28T07:13:20.500Z', '2026-03-02T21:47:05.250Z'],
  ['one day', '2026-03-01', '2026-03-01'],
  ['within one hour', '2026-03-01T10:07:00Z', '2026-03-01T10:52:30Z'],
  ['over one hour mark', '2026-03-01T10:58:10Z', '2026-03-01T11:03:00Z'],
  ['before everything', '2020-01-01', '2020-01-02'],
] as const;

function randomSamples(): ModelSample[] {
  const random = seeded(20260301);
  const samples: ModelSample[] = [];
  const start = at('00:00:00', '2026-02-28');
  const noise = { heart_rate: 140, steps: 200, weight: 90, environmental_audio_exposure: 120 };
  for (const type of modelTypes)
    for (const device of type === 'heart_rate' ? ['Watch 7', 'Strap'] : ['Watch 7']) {
      const times = new Set<number>();
      while (times.size < 700) {
        const isCrowded = random() < 0.5;
        const ms = isCrowded ? random() * 3_600_000 + at('10:30:00') - start : random() * 3 * 86_400_000;
        // Half of them on whole seconds: series share timestamps, and some lie exactly on a bucket's start.
        times.add(start + (random() < 0.5 ? Math.floor(ms / 60_000) * 60_000 : Math.floor(ms)));
      }
      for (const ms of times)
        samples.push({ type, device, ms, value: 1 + Math.floor(random() * noise[type]) });
    }
  return samples;
}

async function storeModel({ store }: Setting, samples: readonly ModelSample[]): Promise<void> {
  for (const type of modelTypes)
    for (const device of ['Watch 7', 'Strap']) {
      const own = samples.filter((sample) => sample.type === type && sample.device === device);
      for (let from = 0; from < own.length; from += 150) {
        const part = own.slice(from, from + 150).map(({ ms, value }) => [ms, value] as const);
        await store([item({ samples: [block(type, part, { device })] })]);
      }
    }
}

function asModel({ timestamp, type, source, value }: Sample): ModelBucket {
  return { timestamp: Date.parse(timestamp), type, device: source.device, value };
}

t.test('equals a calculation from the samples at every resolution and range', async (t) => {
  const setting = await anotherUser(shared);
  const { call, userId } = setting;
  const samples = randomSamples();
  await storeModel(setting, samples);
  for (const resolution of resolutions)
    for (const [name, start_time, end_time] of ranges) {
      const title = `${resolution}, ${name}`;
      const query = { user_id: userId, start_time, end_time, resolution, limit: 97 };
      const { forward, backward, items } = await pageThrough((cursor) =>
        call('timeseries.samples', { ...query, ...(cursor === undefined ? {} : { cursor }) }),
      );
      const endMs = Date.parse(end_time) + (end_time.length === 10 ? 86_400_000 : 0);
      const wanted = inOrder(expected(samples, Date.parse(start_time), endMs, resolution));
      const found = items.map(asModel);
      t.strictSame(
        found,
        found.toSorted((a, b) => a.timestamp - b.timestamp),
        `${title}: oldest first`,
      );
      const got = inOrder(found);
      const places = (list: readonly ModelBucket[]) => list.map(({ value: _, ...place }) => place);
      t.strictSame(places(got), places(wanted), `${title}: each item once`);
      const off = got.filter(({ value }, index) => !isClose(value, wanted[index]?.value ?? Number.NaN));
      t.strictSame(off, [], `${title}: the values`);
      t.ok(
        forward.every((page) => page.pagination.total_count === wanted.length),
        `${title}: total_count is the number of items, on every page`,
      );
      t.strictSame(
        backward.flatMap((page) => page.data),
        items.slice(0, items.length - (forward.at(-1)?.data.length ?? 0)),
        `${title}: backward pages have the items before, in the list's order`,
      );
      t.ok(
        backward.every((page) => page.pagination.has_more && page.pagination.next_cursor !== null),
        `${title}: after a page that was read backward there is a next one`,
      );
      const width = (minutesOf[resolution] ?? 1 / 60_000) * 60_000;
      const first = Date.parse(start_time);
      t.equal(
        Date.parse(forward[0]?.metadata.start_time ?? ''),
        first - (first % width),
        `${title}: start_time`,
      );
      const end = Math.ceil(endMs / width) * width;
      t.equal(Date.parse(forward[0]?.metadata.end_time ?? ''), end, `${title}: end_time`);
      t.equal(forward[0]?.pagination.previous_cursor, null, `${title}: nothing before the first page`);
    }
});

t.test('pages of 100 contain 1,000 values once each, forward and backward', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const values = Array.from(
    { length: 1000 },
    (_, index) => [at('00:00:00') + index * 7000, 50 + (index % 90)] as const,
  );
  await store([item({ samples: [block('heart_rate', values)] })]);
  const query = { user_id: userId, start_time: '2026-03-01', end_time: '2026-03-01', limit: 100 };
  const { forward, backward, items } = await pageThrough((cursor) =>
    call('timeseries.samples', { ...query, ...(cursor === undefined ? {} : { cursor }) }),
  );
  t.equal(forward.length, 10);
  t.strictSame(
    items.map(({ timestamp, value }) => [Date.parse(timestamp), value]),
    values,
  );
  t.strictSame(
    backward.map(({ data }) => data),
    forward.slice(0, 9).map(({ data }) => data),
    'the pages before the last, in their order',
  );
  t.strictSame(
    forward.map(({ pagination }) => [pagination.has_more, pagination.total_count]),
    forward.map((_, index) => [index < 9, 1000]),
  );
  t.equal(backward[0]?.pagination.previous_cursor, null, 'back at the first page nothing is before it');
});

t.test('samples of one instant on several pages are neither lost nor repeated', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const types = ['heart_rate', 'steps', 'energy', 'weight', 'speed', 'power', 'cadence'] as const;
  const times = [at('09:00:00'), at('09:00:00') + 1, at('09:30:00')];
  const samples = types.map((type) =>
    block(
      type,
      times.map((ms) => [ms, 20] as const),
    ),
  );
  await store([item({ samples })]);
  for (const resolution of ['raw', '1min', '15min', '1hour'] as const) {
    const query = { user_id: userId, start_time: '2026-03-01', end_time: '2026-03-01', resolution, limit: 2 };
    const { items, backward, forward } = await pageThrough((cursor) =>
      call('timeseries.samples', { ...query, ...(cursor === undefined ? {} : { cursor }) }),
    );
    const instants = resolution === 'raw' ? 3 : resolution === '1hour' ? 1 : 2;
    t.equal(items.length, 7 * instants, resolution);
    t.equal(
      new Set(items.map(({ timestamp, type }) => `${timestamp} ${type}`)).size,
      7 * instants,
      resolution,
    );
    t.strictSame(
      backward.flatMap(({ data }) => data),
      items.slice(0, items.length - (forward.at(-1)?.data.length ?? 0)),
      resolution,
    );
  }
});

t.test('pages contain many series with gaps of days in both directions at every resolution', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const random = seeded(5);
  // Fifteen types that accept a value of 50, so that pages are bounded by days.
  const types = seriesTypes
    .filter((type) => accepts(type, 50) && seriesOf(type).bucket !== 'leq')
    .slice(0, 15);
  const samples = types
    .flatMap((type) =>
      Array.from({ length: 12 }, () => {
        const day = Math.floor(random() * random() * 60);
        const ms = at('00:00:00', '2026-01-10') + day * dayMs + Math.floor(random() * 40) * 2_000_000;
        return { type, device: 'Watch 7', ms, value: 50 };
      }),
    )
    .filter(
      (one, index, all) => all.findIndex(({ type, ms }) => type === one.type && ms === one.ms) === index,
    );
  const blocks = types.map((type) =>
    block(
      type,
      samples.filter((one) => one.type === type).map(({ ms, value }) => [ms, value] as const),
    ),
  );
  await store([item({ samples: blocks })]);
  const [start_time, end_time] = ['2026-01-10T05:30:00Z', '2026-03-20T12:00:00Z'];
  for (const resolution of resolutions) {
    const query = { user_id: userId, start_time, end_time, resolution, limit: 7 };
    const { items, forward, backward } = await pageThrough((cursor) =>
      call('timeseries.samples', { ...query, ...(cursor === undefined ? {} : { cursor }) }),
    );
    const wanted = inOrder(expected(samples, Date.parse(start_time), Date.parse(end_time), resolution));
    t.strictSame(inOrder(items.map(asModel)), wanted, resolution);
    t.equal(forward[0]?.pagination.total_count, wanted.length, resolution);
    const before = items.slice(0, items.length - (forward.at(-1)?.data.length ?? 0));
    t.strictSame(
      backward.flatMap(({ data }) => data),
      before,
      resolution,
    );
  }
});

t.test('keeps microseconds in its cursor', async (t) => {
  const { store, call, userId, database } = await setUp(t);
  await store([item({ samples: [block('heart_rate', [[at('09:00:00'), 60]])] })]);
  const [series] = await database.query<{ id: number }>('select id from timeseries.series');
  await database.query(
    `insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
     select $1, 0, timestamptz '2026-03-01 09:00:00+00' + n * interval '1 microsecond', n from generate_series(1, 5) n`,
    [series?.id],
  );
  const query = { user_id: userId, start_time: '2026-03-01', end_time: '2026-03-01', limit: 2 };
  const { items, backward } = await pageThrough((cursor) =>
    call('timeseries.samples', { ...query, ...(cursor === undefined ? {} : { cursor }) }),
  );
  t.strictSame(
    items.map(({ value }) => value),
    [60, 1, 2, 3, 4, 5],
  );
  t.strictSame(
    backward.flatMap(({ data }) => data.map(({ value }) => value)),
    [60, 1, 2, 3],
  );
});

t.test('the start of the range is included, its end excluded', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const times = [at('09:59:59'), at('10:00:00'), at('10:59:59'), at('11:00:00')];
  await store([
    item({
      samples: [
        block(
          'heart_rate',
          times.map((ms, index) => [ms, 60 + index]),
        ),
      ],
    }),
  ]);
  const query = { user_id: userId, start_time: '2026-03-01T10:00:00Z', end_time: '2026-03-01T11:00:00Z' };
  for (const resolution of ['raw', '1min'] as const) {
    const page = await call('timeseries.samples', { ...query, resolution });
    t.strictSame(
      page.data.map(({ value }) => value),
      [61, 62],
      resolution,
    );
    t.equal(page.pagination.total_count, 2, resolution);
  }
  const [hour] = (await call('timeseries.samples', { ...query, resolution: '1hour' })).data;
  t.strictSame([hour?.timestamp, hour?.value], ['2026-03-01T10:00:00Z', 61.5]);
});

t.test('two devices have their own buckets, with the names of PROVIDER_NAMES', async (t) => {
  const { store, call, userId } = await setUp(t, { PROVIDER_NAMES: 'devicemaker=Wrist Inc' });
  const samples = ['Watch 7', 'Strap'].map((device, index) =>
    block('heart_rate', [[at('10:00:00'), 60 + 40 * index]], { device }),
  );
  await store([item({ samples })]);
  const query = { user_id: userId, start_time: '2026-03-01', end_time: '2026-03-01' };
  const page = await call('timeseries.samples', { ...query, resolution: '1hour' });
  t.strictSame(
    page.data.map(({ value, source }) => [value, source]),
    [
      [60, { provider: 'Wrist Inc', device: 'Watch 7' }],
      [100, { provider: 'Wrist Inc', device: 'Strap' }],
    ],
  );
});

t.test('returns the requested types, or all types', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const samples = (['steps', 'heart_rate', 'weight'] as const).map((type) =>
    block(type, [[at('10:00:00'), 70]]),
  );
  await store([item({ samples })]);
  const query = { user_id: userId, start_time: '2026-03-01', end_time: '2026-03-01' };
  const typesOf = async (types?: Parameters<typeof call<'timeseries.samples'>>[1]['types']) =>
    (await call('timeseries.samples', types === undefined ? query : { ...query, types })).data
      .map(({ type }) => type)
      .sort();
  t.strictSame(await typesOf(), ['heart_rate', 'steps', 'weight']);
  t.strictSame(await typesOf('weight'), ['weight']);
  t.strictSame(await typesOf(['weight', 'steps', 'weight']), ['steps', 'weight']);
  t.strictSame(await typesOf(['power']), []);
});

t.test('refuses the cursor of another query; the limit may change', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const values = Array.from(
    { length: 9 },
    (_, index) => [at('10:00:00') + index * 1000, 60 + index] as const,
  );
  await store([item({ samples: [block('heart_rate', values)] })]);
  const query = { user_id: userId, start_time: '2026-03-01', end_time: '2026-03-01', limit: 3 };
  const { pagination } = await call('timeseries.samples', query);
  const cursor = pagination.next_cursor ?? '';
  const page = await call('timeseries.samples', { ...query, cursor, limit: 4 });
  t.strictSame(
    page.data.map(({ value }) => value),
    [63, 64, 65, 66],
  );
  const others = [
    { end_time: '2026-03-02' },
    { types: ['heart_rate' as const] },
    { resolution: '1min' as const },
    { user_id: unknownUser },
    { cursor: 'bm9uc2Vuc2U' },
  ];
  for (const other of others)
    await t.rejects(
      call('timeseries.samples', { ...query, cursor, ...other }),
      refusal('CURSOR_INVALID'),
      JSON.stringify(other),
    );
});

t.test('distinguishes an unknown user from one without data', async (t) => {
  const { call, userId } = await anotherUser(shared);
  const query = { start_time: '2026-03-01', end_time: '2026-03-01' };
  const page = await call('timeseries.samples', { ...query, user_id: userId });
  t.strictSame(page.pagination, {
    next_cursor: null,
    previous_cursor: null,
    has_more: false,
    total_count: 0,
  });
  await t.rejects(call('timeseries.samples', { ...query, user_id: unknownUser }), refusal('USER_NOT_FOUND'));
});

t.test('refuses invalid types, resolutions and ranges', async (t) => {
  const { call, userId } = await anotherUser(shared);
  const query = { user_id: userId, start_time: '2026-03-01', end_time: '2026-03-01' };
  const wrong: [object, ErrorCode][] = [
    [{ types: ['heart_beat'] }, 'VALIDATION_FAILED'],
    [{ types: Array.from({ length: mostTypes + 1 }, () => 'steps') }, 'VALIDATION_FAILED'],
    [{ resolution: '2min' }, 'VALIDATION_FAILED'],
    [{ limit: 0 }, 'VALIDATION_FAILED'],
    [{ limit: 101 }, 'VALIDATION_FAILED'],
    [{ end_time: '2026-02-28' }, 'RANGE_INVALID'],
  ];
  for (const [fields, type] of wrong) {
    await t.rejects(
      call('timeseries.samples', { ...query, ...fields }),
      refusal(type),
      JSON.stringify(fields),
    );
  }
});

t.test('reads 100 types at once', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  await store([item({ samples: [block('steps', [[at('10:00:00'), 7]])] })]);
  const types = Array.from({ length: 100 }, (_, index) =>
    index % 2 === 0 ? ('steps' as const) : ('power' as const),
  );
  const query = { user_id: userId, start_time: '2026-03-01', end_time: '2026-03-01', types };
  t.strictSame(
    (await call('timeseries.samples', query)).data.map(({ value }) => value),
    [7],
  );
});

const start = Date.UTC(2024, 0, 1);
const dayAt = (day: number, minutes = 0) => start + day * dayMs + minutes * minuteMs;

/** Two years with gaps of months, clusters, and a time with a value a day. */
function samples(): ModelSample[] {
  const times = [
    ...Array.from({ length: 120 }, (_, index) => dayAt(3, index * 7 + 0.35)),
    ...Array.from({ length: 60 }, (_, index) => dayAt(215 + index, 611)),
    ...Array.from({ length: 90 }, (_, index) => dayAt(580, index * 11)),
    dayAt(729, 1439),
  ];
  return times.flatMap((ms, index) => [
    { type: 'heart_rate', device: 'Watch 7', ms, value: 50 + (index % 90) },
    ...(index % 3 === 0 ? [{ type: 'steps', device: 'Watch 7', ms, value: index }] : []),
  ]);
}

t.test('pages over years with gaps have each item once in both directions', async (t) => {
  const { store, call, userId } = await anotherUser(shared);
  const all = samples();
  for (const type of ['heart_rate', 'steps'] as const) {
    const own = all.filter((one) => one.type === type).map(({ ms, value }) => [ms, value] as const);
    for (let from = 0; from < own.length; from += 150)
      await store([item({ samples: [block(type, own.slice(from, from + 150))] })]);
  }
  const range = { start_time: '2024-01-01T00:00:00Z', end_time: '2026-01-01T00:00:00Z' };
  for (const resolution of ['raw', '1min', '5min', '15min', '1hour'] as const)
    for (const limit of [7, 100]) {
      const { forward, backward, items } = await pageThrough((cursor) =>
        call('timeseries.samples', {
          ...{ user_id: userId, ...range, resolution, limit },
          ...(cursor === undefined ? {} : { cursor }),
        }),
      );
      const wanted = inOrder(expected(all, start, dayAt(731), resolution));
      const got = inOrder(items.map(asModel));
      const title = `${resolution} by ${limit}`;
      t.equal(got.length, wanted.length, title);
      const differs = (one: ModelBucket, other: ModelBucket | undefined) =>
        one.timestamp !== other?.timestamp || one.type !== other.type || !isClose(one.value, other.value);
      t.strictSame(
        got.filter((one, index) => differs(one, wanted[index])),
        [],
        title,
      );
      t.strictSame(
        backward.map(({ data }) => data),
        forward.slice(0, -1).map(({ data }) => data),
        `${title}: the same pages backward`,
      );
    }
});

t.test('a likely bound cuts no bucket in either direction, and is omitted without benefit', async (t) => {
  const [first, end] = [dayAt(0) * 1000, dayAt(730) * 1000];
  const reach = (direction: 'next' | 'previous') => ({ direction, series: [{ id: 1, first, end }] });
  const hourUs = 3_600_000_000;
  for (const total of [100, 5003, 777_777]) {
    const [next, previous] = [
      likelyBound(reach('next'), total, 51),
      likelyBound(reach('previous'), total, 51),
    ];
    if (total === 100) t.strictSame([next, previous], [null, null], 'few items: most of the range is needed');
    else t.strictSame([((next ?? 1) - first) % hourUs, (end - (previous ?? 1)) % hourUs], [0, 0]);
  }
  t.equal(likelyBound(reach('next'), 777_777, 51), dayAt(10) * 1000, 'ten days at least');
  t.equal(likelyBound(reach('previous'), 777_777, 51), dayAt(720) * 1000, 'and from the end');
  t.equal(
    likelyBound({ direction: 'next', series: [{ id: 1, first, end: dayAt(19) * 1000 }] }, 9999, 51),
    null,
  );
  t.equal(likelyBound({ direction: 'next', series: [] }, 0, 51), null);
});
