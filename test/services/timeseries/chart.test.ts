import t from 'tap';
import type { Chart } from '../../../contracts/timeseries/chart.ts';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import { readChart } from '../../../services/timeseries/actions/chart.ts';
import { refusal } from '../../support/refusal.ts';
import { countingRows } from '../../support/rows/rows-read.ts';
import { block, item } from './items.ts';
import { seeded } from './model.ts';
import { setUp, unknownUser } from './setting.ts';

const setting = await setUp(t);
const { call, database, userId, store } = setting;
const monday = Date.UTC(2026, 2, 2);
const types = ['heart_rate', 'steps', 'weight', 'environmental_audio_exposure'] as const;
type Type = (typeof types)[number];
type Sample = readonly [ms: number, value: number];
const random = seeded(20260315);

// Five days, with gaps and two devices.
function samplesOf(count: number, largest: number): Sample[] {
  const times = new Set(
    Array.from({ length: count }, () => monday + Math.floor(random() * 5 * 86_400) * 1000),
  );
  return [...times].sort((a, b) => a - b).map((ms) => [ms, 1 + Math.floor(random() * largest)]);
}
const stored: Readonly<Record<string, readonly Sample[]>> = {
  'heart_rate Watch': samplesOf(4000, 200),
  'heart_rate Ring': samplesOf(500, 200),
  'steps Watch': samplesOf(3000, 200_000),
  'weight Watch': samplesOf(300, 100),
  'environmental_audio_exposure Watch': samplesOf(2500, 120),
};
for (const [name, samples] of Object.entries(stored)) {
  const [type, device = ''] = name.split(' ');
  const known = types.find((one) => one === type);
  if (known !== undefined) await store([item({ samples: [block(known, samples, { device })] })]);
}

const all = ['avg', 'min', 'max', 'count', 'value'] as const;
const iso = (ms: number) => new Date(ms).toISOString();
const read = (given: object = {}): Promise<Chart> =>
  call('timeseries.chart', {
    user_id: userId,
    start_time: iso(monday),
    end_time: iso(monday + 5 * dayMs),
    types: [...types],
    aggregates: [...all],
    max_points: 2000,
    ...given,
  });

const bucketValue: Readonly<Record<Type, (values: readonly number[]) => number>> = {
  heart_rate: (values) => sum(values) / values.length,
  steps: (values) => sum(values),
  weight: (values) => values.at(-1) ?? Number.NaN,
  environmental_audio_exposure: (values) =>
    10 * Math.log10(sum(values.map((value) => 10 ** (value / 10))) / values.length),
};
const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);

// Values have nine significant digits.
const isShown = (exact: number, shown: number) => Math.abs(exact - shown) <= Math.abs(exact) * 1e-8;

/** The points of a series from its samples: start, values. */
function expected(
  samples: readonly Sample[],
  [startMs, endMs]: readonly [number, number],
  widthMs: number | null,
) {
  const floor = (ms: number) => (widthMs === null ? ms : Math.floor(ms / widthMs) * widthMs);
  const end = widthMs === null ? endMs : Math.ceil(endMs / widthMs) * widthMs;
  const inside = samples.filter(([ms]) => ms >= floor(startMs) && ms < end);
  return [...Map.groupBy(inside, ([ms]) => floor(ms))].map(
    ([start, rows]) => [start, rows.map(([, value]) => value)] as const,
  );
}

for (const [span, maxPoints] of [
  [5 * dayMs, 2000],
  [5 * dayMs, 100],
  [5 * dayMs, 10],
  [dayMs + 7 * minuteMs, 300],
  [3 * hourMs + 1234, 50],
  [hourMs, 2000],
  [minuteMs, 10],
] as const)
  t.test(`equals the samples of ${span / minuteMs} minutes in at most ${maxPoints} points`, async (t) => {
    const range = [monday + 90_500, monday + 90_500 + span] as const;
    const chart = await read({ start_time: iso(range[0]), end_time: iso(range[1]), max_points: maxPoints });
    for (const type of types) {
      const points = chart.series.filter((one) => one.type === type).map((one) => one.offset_seconds.length);
      t.ok(sum(points) <= maxPoints, `${type}: ${points}`);
    }
    for (const series of chart.series) {
      const { type, bucket_seconds: length, source } = series;
      const known = types.find((one) => one === type) ?? 'heart_rate';
      const width = length === null ? null : length * 1000;
      const wanted = expected(stored[`${type} ${source.device}`] ?? [], range, width);
      const first = Date.parse(series.first_time);
      t.strictSame(
        series.offset_seconds.map((offset) => first + offset * 1000),
        wanted.map(([start]) => start),
        `${type} ${source.device} every ${length} s`,
      );
      const isSum = series.aggregate === 'sum';
      t.strictSame([series.min === undefined, series.max === undefined], [isSum, isSum]);
      const bounds = isSum ? [] : [series.min, series.max];
      const wrong = wanted.filter(([, values], index) => {
        const is = [series.avg, series.count, series.value, ...bounds].map(
          (column) => column?.[index] ?? Number.NaN,
        );
        const should = [
          sum(values) / values.length,
          values.length,
          bucketValue[known](values),
          ...(isSum ? [] : [Math.min(...values), Math.max(...values)]),
        ];
        return should.some((value, at) => !isShown(value, is[at] ?? Number.NaN));
      });
      t.strictSame(wrong, [], `${type} ${source.device}`);
    }
    const inRange = ([ms]: Sample) => ms >= range[0] && ms < range[1];
    const withData = Object.values(stored).filter((samples) => samples.some(inRange));
    t.ok(chart.series.length >= withData.length);
  });

t.test('each type has a resolution of its own: raw where all samples fit', async (t) => {
  const { series } = await read({ max_points: 1000, types: ['heart_rate', 'weight'] });
  t.strictSame(
    series.map(({ type, bucket_seconds }) => [type, bucket_seconds]),
    [
      ['heart_rate', 900],
      ['heart_rate', 900],
      ['weight', null],
    ],
  );
});

t.test('has the requested columns only', async (t) => {
  const { series } = await read({ types: 'weight', aggregates: 'min,max' });
  t.strictSame(Object.keys(series[0] ?? {}).sort(), [
    ...[
      'aggregate',
      'bucket_seconds',
      'first_time',
      'max',
      'min',
      'offset_seconds',
      'source',
      'statistics',
      'type',
      'unit',
    ],
  ]);
});

t.test('a type without samples has no series, and an unknown user is 404', async (t) => {
  t.strictSame((await read({ types: 'hydration' })).series, []);
  await t.rejects(read({ user_id: unknownUser }), refusal('USER_NOT_FOUND'));
});

t.test('a range that is empty or longer than ten years is refused', async (t) => {
  await t.rejects(read({ start_time: iso(monday + 5 * dayMs) }), refusal('RANGE_INVALID'));
  await t.rejects(read({ start_time: '2010-01-01' }), {
    ...refusal('RANGE_INVALID'),
    data: { errors: [{ field: 'end_time' }] },
  });
});

t.test('reads as many rows with five times the samples', async (t) => {
  const { id } = await call('users.create', {});
  const settings = {
    shownAs: (name: string) => name,
    sourceOrder: { providers: [], deviceTypes: [] },
  };
  const fill = (everySeconds: number) =>
    database.query(
      `insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
       select s.id, 0, timestamptz '2026-01-01' + i * $2 * interval '1 second', 60 + i % 40
       from timeseries.series s, generate_series(0, 30 * 86400 / $2 - 1) i where s.user_id = $1
       on conflict do nothing`,
      [id, everySeconds],
    );
  await database.query(
    `insert into timeseries.series (user_id, type_id, provider, device) values ($1, 1, 'devicemaker', 'd')`,
    [id],
  );
  const instant = (day: number) => ({ ms: Date.UTC(2026, 0, day), dateOnly: false });
  const measure = async () => {
    await database.query('analyze timeseries.sample, timeseries.sample_hour');
    const { on, read } = countingRows(database);
    // each of ten types may read 70,000 samples
    const others = ['steps', 'energy', 'weight', 'height', 'hydration', 'exercise_time'] as const;
    const more = ['basal_energy', 'flights_climbed', 'oxygen_saturation'] as const;
    const request = { max_points: 2000, aggregates: ['avg' as const] };
    const query = {
      ...request,
      types: ['heart_rate' as const, ...others, ...more],
      user_id: id,
      start_time: instant(1),
      end_time: instant(31),
    };
    const { series } = await readChart(on, settings, query);
    t.equal(series[0]?.bucket_seconds, 3600);
    return read;
  };
  await fill(30);
  const before = await measure();
  await fill(6);
  t.strictSame(await measure(), before);
  t.ok((before.get('sample') ?? 0) <= 2, `${before.get('sample')} samples were read`);
});
