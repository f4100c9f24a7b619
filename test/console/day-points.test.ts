import t from 'tap';
import { againstUsual, baselineOf } from '../../console/src/parts/day/baseline.ts';
import { axisOf } from '../../console/src/parts/day/day-axis.ts';
import { runsOf } from '../../console/src/parts/day/lane-layout.ts';
import {
  gapsOf,
  median,
  type Points,
  pointsOf,
  slotMeans,
  slotSums,
  toleranceOf,
  valueAt,
} from '../../console/src/parts/day/points.ts';
import { restingOf } from '../../console/src/parts/day/resting.ts';
import { calendarMonths, fillsOf, newestDay } from '../../console/src/parts/day/squares.ts';

const minuteMs = 60_000;
const axis = axisOf('2026-11-24', '+02:00');
const never = Number.POSITIVE_INFINITY;

/** Points at minutes of the day. */
function at(minutes: readonly number[], values: readonly number[] = minutes, bucketMinutes = 0): Points {
  const times = minutes.map((minute) => axis.from + minute * minuteMs);
  return { times, values, mins: values, maxs: values, bucketMs: bucketMinutes * minuteMs };
}
const minutes = (gaps: readonly { from: number; to: number }[]) =>
  gaps.map(({ from, to }) => [from, to].map((ms) => (ms - axis.from) / minuteMs));
const every = (step: number, first: number, last: number) =>
  Array.from({ length: (last - first) / step + 1 }, (_, index) => first + index * step);

t.test('the points of a series are those within the day', async (t) => {
  const series = {
    ...{ first_time: '2026-11-23T21:59:00Z', offset_seconds: [0, 60, 86_400, 86_460], bucket_seconds: 60 },
    ...{ value: [1, 2, 3, 4], min: [0, 1, 2, 3], max: [2, 3, 4, 5] },
  };
  const points = pointsOf(series, axis);
  t.strictSame(
    [points.values, points.mins, points.maxs],
    [
      [2, 3],
      [1, 2],
      [3, 4],
    ],
  );
  t.strictSame(points.times, [axis.from, axis.from + 1439 * minuteMs]);
  const { min: _, max: __, ...single } = series;
  const raw = pointsOf({ ...single, bucket_seconds: null }, axis);
  t.strictSame([raw.bucketMs, raw.mins, raw.maxs], [0, [2, 3], [2, 3]]);
});

t.test('more than 30 minutes without a value are a gap, whichever source has the values', async (t) => {
  const whole = every(10, 0, 1430);
  const without = (from: number, to: number) => at(whole.filter((minute) => minute <= from || minute >= to));
  t.strictSame(minutes(gapsOf([without(600, 630)], axis, never)), []);
  t.strictSame(minutes(gapsOf([without(600, 640)], axis, never)), [[600, 640]]);
  t.strictSame(minutes(gapsOf([without(600, 700), at([620, 650, 680])], axis, never)), []);
  t.strictSame(minutes(gapsOf([at([100], [60], 5)], axis, never)), [
    [0, 100],
    [105, 1440],
  ]);
  t.strictSame(minutes(gapsOf([], axis, never)), [[0, 1440]]);
});

t.test('what is not over yet is no gap', async (t) => {
  const now = (minute: number) => axis.from + minute * minuteMs;
  t.strictSame(minutes(gapsOf([at(every(10, 0, 600))], axis, now(620))), []);
  t.strictSame(minutes(gapsOf([at(every(10, 0, 600))], axis, now(700))), [[600, 700]]);
  t.strictSame(minutes(gapsOf([], axis, now(-10))), []);
});

t.test(
  'the value at an instant is that of its bucket, or of the nearest sample that is close enough',
  async (t) => {
    const value = (points: Points, minute: number) =>
      valueAt(points, axis.from + minute * minuteMs, toleranceOf(points));
    const buckets = at([10, 11, 12, 13, 30], [61, 62, 62, 62, 63], 1);
    t.strictSame(
      [9.9, 10, 10.9, 11.5, 29.5, 32].map((minute) => value(buckets, minute)),
      [61, 61, 61, 62, 63, null],
    );
    const samples = at([0, 5, 10, 60], [1, 2, 3, 4]);
    t.strictSame(
      [0, 2, 3, 14, 16, 56, 66].map((minute) => value(samples, minute)),
      [1, 1, 2, 3, null, 4, null],
    );
    t.equal(value(at([]), 5), null);
    // sparse values count for a quarter hour, not for the hours between them
    t.strictSame(
      [110, 160].map((minute) => value(at([120, 240, 360]), minute)),
      [120, null],
    );
  },
);

t.test('quarter hours have the sum of the steps that begin in them', async (t) => {
  const steps = at([0, 14, 15, 1439, 1440, -1], [10, 20, 30, 40, 50, 60]);
  const sums = slotSums(steps, axis);
  t.equal(sums.length, 96);
  t.strictSame([sums[0], sums[1], sums[2], sums[95]], [30, 30, null, 40]);
  t.strictSame(slotMeans(steps, axis).slice(0, 3), [15, 30, null]);
  t.equal(slotSums(at([]), axisOf('2026-10-25', 'Europe/Berlin')).length, 100);
  t.equal(slotSums(at([]), axisOf('2026-03-29', 'Europe/Berlin')).length, 92);
});

t.test('a line is interrupted where points are much farther apart than usual', async (t) => {
  t.strictSame(runsOf(at([0, 1, 2, 17, 18])), [[0, 5]]);
  t.strictSame(runsOf(at([0, 1, 2, 18, 19])), [
    [0, 3],
    [3, 5],
  ]);
  t.strictSame(runsOf(at([0, 60, 120, 360])), [[0, 4]]);
  t.strictSame(runsOf(at([])), []);
});

t.test('the baseline is the median with 1.4826 median absolute deviations, from 14 days on', async (t) => {
  t.strictSame([median([3, 1, 2]), median([4, 1, 2, 3]), median([])], [2, 2.5, null]);
  const values = [50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 120];
  t.equal(baselineOf(values.slice(1)), null);
  const baseline = baselineOf(values);
  t.match(baseline, { median: 56.5, days: 14 });
  t.equal(baseline?.low.toFixed(4), (56.5 - 3.5 * 1.4826).toFixed(4));
  t.equal(baseline?.high.toFixed(4), (56.5 + 3.5 * 1.4826).toFixed(4));
  const usual = { median: 55, low: 54, high: 56, days: 20 };
  t.strictSame(
    [52, 55.4, 58].map((value) => againstUsual(value, usual)),
    ['3 below usual', 'as usual', '3 above usual'],
  );
});

t.test(
  'the resting heart rate is of the source of the day, and its baseline of the 28 days before',
  async (t) => {
    const series = (provider: string, first_time: string, value: readonly number[]) => ({
      ...{ type: 'resting_heart_rate' as const, source: { provider, device: 'unknown' }, first_time },
      ...{ offset_seconds: value.map((_, day) => day * 86_400), value: [...value] },
    });
    const days = (count: number, value: number) => Array.from({ length: count }, () => value);
    // 22:00 UTC is the midnight that begins the next day
    const full = series('polar', '2026-10-25T22:00:00Z', [99, ...days(28, 55), 52]);
    const short = series('oura', '2026-11-21T22:00:00Z', [48, 48, 48]);
    const found = restingOf([short, full], '2026-11-24', '+02:00');
    t.match(found, { source: { provider: 'polar' }, value: 52, baseline: { median: 55, days: 28 } });
    t.match(restingOf([short], '2026-11-24', '+02:00'), { value: 48, baseline: null });
    t.match(restingOf([full], '2026-11-25', '+02:00'), { value: null, baseline: { days: 28 } });
    t.equal(restingOf([full], '2027-11-25', '+02:00'), null);
  },
);

t.test('the square of a day is as full as its fullest series', async (t) => {
  const row = (kind: 'sample' | 'sleep', first_date: string, levels: string) => ({
    ...{ kind, first_date, levels },
    last_date: new Date(Date.parse(first_date) + (levels.length - 1) * 86_400_000).toISOString().slice(0, 10),
  });
  const fills = fillsOf([row('sample', '2026-02-27', '0123450'), row('sleep', '2026-02-26', '1111')]);
  t.strictSame([...fills].toSorted(), [
    ['2026-02-26', 1],
    ['2026-02-27', 1],
    ['2026-02-28', 1],
    ['2026-03-01', 2],
    ['2026-03-02', 3],
    ['2026-03-03', 4],
    ['2026-03-04', 4],
  ]);
  t.equal(newestDay(fills, '2026-03-10'), '2026-03-04');
  t.equal(newestDay(fills, '2026-03-02'), '2026-03-02');
  t.equal(newestDay(new Map(), '2026-03-02'), null);
});

t.test('a calendar has twelve months, of which one is the wanted month', async (t) => {
  t.strictSame(calendarMonths('2026-11', '2026-11'), { first: '2025-12', last: '2026-11' });
  t.strictSame(calendarMonths('2025-12', '2026-11'), { first: '2025-12', last: '2026-11' });
  t.strictSame(calendarMonths('2025-11', '2026-11'), { first: '2024-12', last: '2025-11' });
});
