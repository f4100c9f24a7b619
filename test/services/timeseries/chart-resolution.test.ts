import t from 'tap';
import { type Chart, ChartResolution } from '../../../contracts/timeseries/chart.ts';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import { resolutionFor } from '../../../services/timeseries/actions/chart.ts';
import { block, item } from './items.ts';
import { seeded } from './model.ts';
import { setUp } from './setting.ts';

const monday = Date.UTC(2026, 2, 2);
const widths: Readonly<Record<ChartResolution, readonly [widthMs: number, originMs: number]>> = {
  raw: [1, 0],
  '1min': [minuteMs, 0],
  '5min': [5 * minuteMs, 0],
  '15min': [15 * minuteMs, 0],
  '1hour': [hourMs, 0],
  '1day': [dayMs, 0],
  '1week': [7 * dayMs, monday],
  '4weeks': [28 * dayMs, Date.UTC(1970, 0, 5)],
};
const resolutions = ChartResolution.options;
const types = ['heart_rate', 'steps', 'weight', 'environmental_audio_exposure'] as const;
type Type = (typeof types)[number];
type Sample = readonly [ms: number, value: number];

const sum = (samples: readonly Sample[]) => samples.reduce((total, [, value]) => total + value, 0);
const aggregates: Readonly<Record<Type, (samples: readonly Sample[]) => number>> = {
  heart_rate: (samples) => sum(samples) / samples.length,
  steps: sum,
  weight: (samples) => samples.at(-1)?.[1] ?? Number.NaN,
  environmental_audio_exposure: (samples) =>
    10 * Math.log10(samples.reduce((total, [, value]) => total + 10 ** (value / 10), 0) / samples.length),
};

const random = seeded(20260302);
const stored: Readonly<Record<Type, readonly Sample[]>> = {
  heart_rate: series(140),
  steps: series(300_000),
  weight: series(90),
  environmental_audio_exposure: series(120),
};

/** Samples of three weeks before and after a Monday, a third of them within one hour. */
function series(largest: number): readonly Sample[] {
  const times = Array.from({ length: 150 }, (_, index) =>
    Math.floor(monday + (index % 3 === 0 ? random() * hourMs : (random() - 0.5) * 42 * dayMs)),
  );
  return [...new Set(times)].sort((a, b) => a - b).map((ms) => [ms, 1 + Math.floor(random() * largest)]);
}

const setting = await setUp(t);
for (const type of types) await setting.store([item({ samples: [block(type, stored[type])] })]);

// Values have nine significant digits.
const isShown = (value: number, exact: number) => Math.abs(value - exact) <= Math.abs(exact) * 1e-8;
const iso = (ms: number) => new Date(ms).toISOString();
const read = (given: {
  readonly range: readonly [number, number];
  readonly types?: readonly Type[];
  readonly resolution?: ChartResolution | 'finest';
  readonly max_points?: number;
}): Promise<Chart> => {
  const { range, resolution = 'finest', types: wanted = types, max_points = 2000 } = given;
  const times = { start_time: iso(range[0]), end_time: iso(range[1]) };
  const query = { user_id: setting.userId, ...times, types: [...wanted], resolution, max_points };
  return setting.call('timeseries.chart', { ...query, aggregates: ['value', 'min', 'max'] });
};

const ranges = [
  [monday - 30 * dayMs, monday + 30 * dayMs],
  [monday - 8 * dayMs - 12_345, monday + 3 * dayMs + 54_321],
  [monday + 7 * minuteMs + 1, monday + 41 * minuteMs],
  [monday - 20 * minuteMs, monday + 20 * minuteMs],
] as const;

t.test('buckets and statistics equal a calculation from the samples', async (t) => {
  for (const range of ranges)
    for (const resolution of resolutions) {
      const [width, origin] = widths[resolution];
      const title = `${resolution} ${iso(range[0])}`;
      const chart = await read({ range, resolution });
      t.equal(chart.resolution, resolution);
      const [start, end] = resolution === 'raw' ? range : widened(range, [width, origin]);
      t.strictSame([chart.start_time, chart.end_time].map(Date.parse), [start, end], title);
      for (const one of chart.series) {
        const type = types.find((name) => name === one.type) ?? 'steps';
        const aggregate = aggregates[type];
        const inside = stored[type].filter(([ms]) => ms >= range[0] && ms < range[1]);
        const values = inside.map(([, value]) => value);
        const { count, value, min, max } = one.statistics;
        // Sums have no least and no largest sample.
        const bounds = type === 'steps' ? [null, null] : [Math.min(...values), Math.max(...values)];
        t.strictSame([count, min, max], [inside.length, ...bounds], title);
        t.ok(isShown(value, aggregate(inside)), `${title} ${type} ${value} ${aggregate(inside)}`);
        t.equal(one.bucket_seconds, resolution === 'raw' ? null : width / 1000);
        const wanted = bucketsOf(stored[type], range, [width, origin]);
        const first = Date.parse(one.first_time);
        t.strictSame(
          one.offset_seconds.map((offset) => first + Math.round(offset * 1000)),
          wanted.map(([at]) => at),
          title,
        );
        t.ok(
          wanted.every(([, members], index) => isShown(one.value?.[index] ?? 0, aggregate(members))),
          `${title} ${type}`,
        );
        const least = wanted.map(([, members]) => Math.min(...members.map(([, value]) => value)));
        t.strictSame(one.min, type === 'steps' ? undefined : least, title);
      }
      const present = types.filter((type) => stored[type].some(([ms]) => ms >= range[0] && ms < range[1]));
      t.equal(chart.series.length, present.length);
    }
});

function widened([start, end]: readonly [number, number], [width, origin]: readonly [number, number]) {
  const floor = (ms: number) => Math.floor((ms - origin) / width) * width + origin;
  return [floor(start), floor(end - 1) + width] as const;
}

function bucketsOf(
  samples: readonly Sample[],
  [start, end]: readonly [number, number],
  [widthMs, originMs]: readonly [number, number],
): [number, Sample[]][] {
  const floor = (ms: number) => Math.floor((ms - originMs) / widthMs) * widthMs + originMs;
  const bounds = widened([start, end], [widthMs, originMs]);
  const inside = samples.filter(([ms]) => ms >= bounds[0] && ms < bounds[1]);
  return [...Map.groupBy(inside, ([ms]) => floor(ms))].sort(([a], [b]) => a - b);
}

const pointsIn = ({ series }: Chart) =>
  series.reduce((total, { offset_seconds }) => total + offset_seconds.length, 0);

t.test('the finest resolution that fits is chosen, for all series together', async (t) => {
  const range = ranges[0];
  for (const max_points of [2000, 400, 300, 150, 60, 12]) {
    const chart = await read({ range, max_points });
    const resolution = chart.resolution ?? 'raw';
    t.ok(pointsIn(chart) <= max_points, `${max_points}: ${pointsIn(chart)} at ${resolution}`);
    const finer = resolutions[resolutions.indexOf(resolution) - 1];
    if (finer === undefined || resolution === '1week' || resolution === '4weeks') continue; // chosen by an upper bound
    const more = pointsIn(await read({ range, resolution: finer }));
    t.ok(more > max_points, `${max_points}: ${finer} would have ${more}`);
  }
});

t.test('a resolution that does not fit is refused with one that does', async (t) => {
  const [range] = ranges;
  const given = { range, types: ['heart_rate'] as const, max_points: 20 };
  await t.rejects(read({ ...given, resolution: '1hour' }), {
    type: 'VALIDATION_FAILED',
    message:
      /^resolution must be 1week or coarser for this range and these types: at 1hour there are \d+ values, and an answer has at most 20\.$/,
  });
  await t.rejects(read({ range: [monday - 3000 * dayMs, monday + dayMs], max_points: 10 }), {
    message: /^types must be fewer, or the range shorter/,
  });
});

t.test('buckets below an hour are refused where they would read too many samples', async (t) => {
  const source = {
    id: 1,
    type_id: 1,
    is_interval: false,
    provider: 'devicemaker',
    device: 'd',
    sum: 0,
    energy: null,
  };
  const counts = { n: 700_001, n1: 1500, n5: 300, n15: 100, n60: 25 };
  const many = { ...source, ...counts, min: 0, max: 0, last: 0 };
  const range = { startMs: monday, endMs: monday + 25 * hourMs };
  const limits = { mostPoints: 2000, mostSamples: 700_000 };
  t.equal(resolutionFor([many], range, 'finest', limits), '1hour');
  t.equal(resolutionFor([{ ...many, n: 700_000 }], range, 'finest', limits), '1min');
  t.throws(() => resolutionFor([many], range, '15min', limits), { message: /^resolution must be 1hour/ });
});

t.test('a user without samples has no series', async (t) => {
  const { id } = await setting.call('users.create', {});
  const times = { start_time: iso(monday), end_time: iso(monday + dayMs) };
  const query = { ...times, types: ['heart_rate' as const], resolution: 'finest' as const };
  t.match(await setting.call('timeseries.chart', { user_id: id, ...query }), {
    resolution: 'raw',
    series: [],
  });
});
