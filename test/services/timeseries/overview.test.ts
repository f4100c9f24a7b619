import t from 'tap';
import type { OverviewResolution } from '../../../contracts/timeseries/overview.ts';
import { dayMs, hourMs, minuteMs } from '../../../domain/time.ts';
import { refusal } from '../../support/refusal.ts';
import { block, item } from './items.ts';
import { isClose, seeded } from './model.ts';
import { setUp, unknownUser } from './setting.ts';

const monday = Date.UTC(2026, 2, 2);
const widths: Readonly<Record<OverviewResolution, readonly [widthMs: number, originMs: number]>> = {
  raw: [1, 0],
  '1min': [minuteMs, 0],
  '5min': [5 * minuteMs, 0],
  '15min': [15 * minuteMs, 0],
  '1hour': [hourMs, 0],
  '1day': [dayMs, 0],
  '1week': [7 * dayMs, monday],
  '4weeks': [28 * dayMs, Date.UTC(1970, 0, 5)],
};
const resolutions = Object.keys(widths).filter((name): name is OverviewResolution => name in widths);
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

const bounds = { target: 2000, most: 2000 };
const read = (given: {
  readonly range: readonly [number, number];
  readonly types?: readonly Type[];
  readonly resolution?: OverviewResolution | null;
  readonly target?: number;
  readonly most?: number;
}) => {
  const { range, resolution = null, types: wanted = types, ...rest } = given;
  const [start_ms, end_ms] = range;
  const query = { user_id: setting.userId, start_ms, end_ms, types: [...wanted], resolution };
  return setting.call('timeseries.overview', { ...query, ...bounds, ...rest });
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
      const title = `${resolution} ${new Date(range[0]).toISOString()}`;
      const overview = await read({ range, resolution });
      t.equal(overview.resolution, resolution);
      for (const one of overview.series) {
        const type = types.find((name) => name === one.type) ?? 'steps';
        const inside = stored[type].filter(([ms]) => ms >= range[0] && ms < range[1]);
        const aggregate = aggregates[type];
        t.equal(one.samples, inside.length, `${title} ${type}`);
        t.ok(isClose(one.value, aggregate(inside)), `${title} ${type} ${one.value} ${aggregate(inside)}`);
        const values = inside.map(([, value]) => value);
        t.strictSame([one.min, one.max], [Math.min(...values), Math.max(...values)], title);
        const wanted = bucketsOf(stored[type], range, widths[resolution]);
        t.strictSame(
          one.at,
          wanted.map(([at]) => at * 1000),
          title,
        );
        t.ok(
          wanted.every(([, members], index) => isClose(one.values[index] ?? 0, aggregate(members))),
          `${title} ${type}`,
        );
        const hasBounds = widths[resolution][0] >= hourMs && type !== 'steps' && type !== 'weight';
        const least = wanted.map(([, members]) => Math.min(...members.map(([, value]) => value)));
        t.strictSame(one.lows, hasBounds ? least : null, title);
      }
      const present = types.filter((type) => stored[type].some(([ms]) => ms >= range[0] && ms < range[1]));
      t.equal(overview.series.length, present.length);
    }
});

function bucketsOf(
  samples: readonly Sample[],
  [start, end]: readonly [number, number],
  [widthMs, originMs]: readonly [number, number],
): [number, Sample[]][] {
  const floor = (ms: number) => Math.floor((ms - originMs) / widthMs) * widthMs + originMs;
  const inside = samples.filter(([ms]) => ms >= floor(start) && ms < floor(end - 1) + widthMs);
  return [...Map.groupBy(inside, ([ms]) => floor(ms))].sort(([a], [b]) => a - b);
}

t.test('the finest resolution that fits is chosen', async (t) => {
  const range = ranges[0];
  for (const target of [2000, 400, 300, 150, 60, 12, 4]) {
    const { resolution, series } = await read({ range, target });
    const values = series.reduce((total, { at }) => total + at.length, 0);
    t.ok(values <= target || resolution === '4weeks', `${target}: ${values} at ${resolution}`);
    const finer = resolutions[resolutions.indexOf(resolution) - 1];
    if (finer === undefined || resolution === '1week' || resolution === '4weeks') continue; // chosen by an upper bound
    const more = (await read({ range, resolution: finer })).series.reduce((n, { at }) => n + at.length, 0);
    t.ok(more > target, `${target}: ${finer} would have ${more}`);
  }
});

t.test('a resolution that does not fit is refused with one that does', async (t) => {
  const [range] = ranges;
  const given = { range, types: ['heart_rate'] as const, most: 20, target: 10 };
  const problem = await read({ ...given, resolution: '1hour' }).catch((error: unknown) => error);
  t.match(problem, {
    type: 'VALIDATION_FAILED',
    message:
      /^resolution must be 1week or coarser for this range and these types: at 1hour there are \d+ values, and an answer has at most 20\.$/,
  });
  await t.rejects(read({ range, most: 3, target: 3 }), {
    message: /^types must be fewer, or the range shorter/,
  });
  await t.rejects(read({ range: [0, monday] }), {
    message: /^end_time must be at most 3660 days after the start/,
  });
});

t.test('a user without samples has no series, an unknown user is refused', async (t) => {
  const range = {
    start_ms: monday,
    end_ms: monday + dayMs,
    types: ['heart_rate' as const],
    resolution: null,
  };
  const { id } = await setting.call('users.create', {});
  t.match(await setting.call('timeseries.overview', { user_id: id, ...range, ...bounds }), { series: [] });
  await t.rejects(
    setting.call('timeseries.overview', { user_id: unknownUser, ...range, ...bounds }),
    refusal('USER_NOT_FOUND'),
  );
});
