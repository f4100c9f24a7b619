import t from 'tap';
import type { ChartSeries } from '../../clients/typescript/src/index.ts';
import { paceOf } from '../../console/src/parts/charts/pace.ts';
import {
  bandOf,
  clockStep,
  courseOf,
  courseThrough,
  domainOf,
  dotsOf,
  figuresOf,
  middleOf,
  pathOf,
  valueAt,
} from '../../console/src/parts/lanes/course.ts';
import { keyed } from '../../console/src/parts/lanes/keys.ts';
import { rowTimes } from '../../console/src/parts/lanes/lane.ts';
import { minutesOfDay, timeTicks } from '../../console/src/parts/lanes/time-ticks.ts';
import { changeText, newestFirst, periodNamed } from '../../console/src/parts/person/change-text.ts';

const series = (offset_seconds: number[], value: number[], rest: Partial<ChartSeries> = {}): ChartSeries => ({
  ...{ type: 'heart_rate', unit: 'bpm', source: { provider: 'devicemaker', device: 'unknown' } },
  ...{ aggregate: 'mean', bucket_seconds: null, first_time: '2026-11-02T00:00:00Z', offset_seconds, value },
  statistics: { count: value.length, value: 0, min: 0, max: 0 },
  ...rest,
});
const same = (value: number) => value;

t.test('a course has an interruption where a gap is much longer than usual', async (t) => {
  const course = courseOf(series([0, 60, 120, 1200, 1260], [1, 2, 3, 4, 5]));
  t.strictSame(course.values, [1, 2, 3, null, 4, 5]);
  t.equal(
    pathOf(courseThrough([0, 1, 2, 30, 31], [1, 2, 3, 4, 5]), same, same),
    'M0.0 1.0L1.0 2.0L2.0 3.0M30.0 4.0L31.0 5.0',
  );
  t.strictSame(courseOf(series([0, 60, 120, 1200], [1, 2, 3, 4]), undefined, false).values, [1, 2, 3, 4]);
  const lone = courseThrough([0, 1, 2, 30], [1, null, 3, 4]);
  t.equal(pathOf(lone, same, same), 'M0.0 1.0h0.1M2.0 3.0h0.1M30.0 4.0h0.1');
  t.equal(dotsOf(lone, same, same), 'M0.0 1.0h0.1M2.0 3.0h0.1M30.0 4.0h0.1');
});

t.test('a band goes along the largest values and back along the least', async (t) => {
  const course = courseOf(series([0, 1], [2, 3], { min: [1, 2], max: [4, 5] }));
  const first = Date.parse('2026-11-02T00:00:00Z');
  t.equal(
    bandOf(course, (time) => time - first, same),
    'M0.0 4.0L1000.0 5.0L1000.0 2.0L0.0 1.0Z',
  );
});

t.test('the nearest value is read, unless it is too far away', async (t) => {
  const course = courseThrough([0, 100, 200], [1, 2, 3]);
  t.strictSame(
    [-40, 49, 51, 160, 240, 251].map((at) => valueAt(course, at, 50)),
    [1, 1, 2, 3, 3, null],
  );
  t.equal(valueAt(courseThrough([], []), 5, 50), null);
});

t.test('the figures are of the least and the largest samples, and of the mean of the values', async (t) => {
  const course = courseOf(series([0, 60], [50, 60], { min: [45, 58], max: [70, 61] }));
  const start = Date.parse('2026-11-02T00:00:00Z');
  t.strictSame(figuresOf(course), { least: 45, largest: 70, mean: 55, largestAt: start, leastAt: start });
  t.equal(figuresOf(courseOf(series([0], [0]), paceOf)), null, 'only stops');
});

t.test('an axis has round marks and contains all values', async (t) => {
  t.strictSame(domainOf(45, 62), { least: 45, largest: 65, marks: [45, 50, 55, 60, 65] });
  t.strictSame(domainOf(52, 52, { smallestStep: 5 }).marks, [50, 55]);
  t.strictSame(domainOf(485, 800, { stepFor: clockStep }).marks, [480, 600, 720, 840]);
  t.strictSame(middleOf([null, ...Array.from({ length: 100 }, (_, index) => index)], 0.5), {
    least: 25,
    largest: 74,
  });
  t.equal(middleOf([null], 1), null);
});

const hours = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) });
const texts = (range: { from: number; to: number }, zone: string, most: number) =>
  timeTicks(range, zone, most).map(({ text }) => text);

t.test('marks of time are at round times of the zone, also when the clock is changed', async (t) => {
  const night = hours('2026-11-24T16:38:00Z', '2026-11-25T00:28:00Z');
  t.strictSame(texts(night, '+05:45', 5), ['12 AM', '2 AM', '4 AM', '6 AM']);
  const change = hours('2026-10-24T20:00:00Z', '2026-10-25T08:00:00Z');
  t.strictSame(texts(change, 'Europe/Berlin', 6), ['10 PM', '12 AM', '2 AM', '4 AM', '6 AM', '8 AM']);
  t.equal(timeTicks(change, 'Europe/Berlin', 6)[3]?.at, Date.parse('2026-10-25T03:00:00Z'));
  t.strictSame(texts(hours('2026-11-01T00:00:00Z', '2026-11-05T00:00:00Z'), 'UTC', 5), [
    ...['Nov 1', 'Nov 2', 'Nov 3', 'Nov 4', 'Nov 5'],
  ]);
  t.equal(minutesOfDay('+05:45', Date.parse('2026-11-24T16:38:00Z')), 22 * 60 + 23);
});

t.test('keys move the cursor by a step that fits the range, within it', async (t) => {
  const night = hours('2026-11-24T22:00:00Z', '2026-11-25T06:00:00Z');
  const minutes = (key: string, isShifted: boolean, at: number | null) =>
    ((keyed(key, isShifted, night, at) ?? Number.NaN) - night.from) / 60_000;
  t.equal(minutes('ArrowRight', false, null), 1);
  t.equal(minutes('ArrowRight', true, night.from), 15);
  t.equal(minutes('ArrowLeft', true, night.from), 0);
  t.equal(minutes('PageUp', false, night.from), 60);
  t.strictSame([minutes('Home', false, night.to), minutes('End', false, null)], [0, 480]);
  t.equal(keyed('a', false, night, null), null);
  const month = hours('2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z');
  t.equal(keyed('ArrowRight', false, month, month.from), month.from + 86_400_000);
});

t.test('a table has the times of all lanes, or evenly many of them', async (t) => {
  const lane = (times: number[]) => ({
    ...{ id: '', name: '', note: '', tone: 'heart' as const, sentence: '', short: '', height: 0, times },
    ...{ read: () => '', draw: () => null },
  });
  t.strictSame(rowTimes([lane([5, 1]), lane([5, 9])], { from: 0, to: 8 }), [1, 5]);
  const many = lane(Array.from({ length: 1000 }, (_, index) => index * 60_000));
  const times = rowTimes([many], { from: 0, to: 60_000_000 });
  t.equal(times.length, 200);
  t.strictSame(times.slice(0, 2), [0, 300_000]);
});

t.test('a change says what it is about', async (t) => {
  const text = {
    sourceText: ({ provider }: { provider: string }) => `of ${provider}`,
    nameOf: (type: string) => type,
  };
  const start_time = '2026-11-02T00:00:00Z';
  t.equal(
    changeText({ series_type: 'steps', provider: 'oura', start_time, historical: true }, text),
    'steps, 2026-11-02, of oura, past data',
  );
  t.equal(changeText({ date: '2026-11-02', historical: false }, text), '2026-11-02');
  const change = (id: string, second: number) => ({ id, timestamp: `2026-01-01T00:00:0${second}Z` });
  const fed = [change('a', 1), change('late', 0), change('b', 2), change('c', 2)];
  t.strictSame(
    newestFirst(fed).map(({ id }) => id),
    ['c', 'b', 'a', 'late'],
    'published together, the later one is first',
  );
  t.strictSame([periodNamed('week').hours, periodNamed(null).hours], [168, 24]);
});
