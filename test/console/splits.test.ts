import t from 'tap';
import { paceOf, paceText } from '../../console/src/parts/charts/pace.ts';
import { splitsOf, type Track } from '../../console/src/parts/charts/splits.ts';

/** A value every so many seconds. */
function every(step: number, values: readonly number[], first = 0): Track {
  return { seconds: values.map((_, index) => first + index * step), values };
}
const constant = (count: number, value: number) => Array.from({ length: count }, () => value);
const none: Track = { seconds: [], values: [] };
const rounded = (value: number) => Math.round(value * 1e6) / 1e6;

t.test('kilometres are cut within a sample, and the rest of one is the last split', async (t) => {
  // 2.5 m/s for 1,000 s: 2,500 m, and a kilometre in 400 s, which is no multiple of 7 s
  const splits = splitsOf(every(7, constant(143, 2.5)), none, null);
  t.strictSame(
    splits.map(({ number, meters, seconds, from, to }) => [number, meters, seconds, from, to].map(rounded)),
    [
      [1, 1000, 400, 0, 400],
      [2, 1000, 400, 400, 800],
      [3, 502.5, 201, 800, 1001],
    ],
  );
});

t.test('each kilometre has its own pace and mean heart rate', async (t) => {
  const speed = every(1, [...constant(200, 5), ...constant(400, 2.5)]);
  const heartRate = every(10, [...constant(20, 150), ...constant(40, 130)]);
  t.strictSame(
    splitsOf(speed, heartRate, 2000).map(({ seconds, heartRate: mean }) => [rounded(seconds), mean]),
    [
      [200, 150],
      [400, 130],
    ],
  );
});

t.test('a pause of the recording is in no split', async (t) => {
  const [before, after] = [every(1, constant(300, 2.5)), every(1, constant(500, 2.5), 900)];
  const speed = {
    seconds: [...before.seconds, ...after.seconds],
    values: [...before.values, ...after.values],
  };
  t.strictSame(
    splitsOf(speed, none, 2000).map(({ seconds, to }) => [rounded(seconds), rounded(to)]),
    [
      [400, 1000],
      [400, 1400],
    ],
  );
});

t.test('the sum of the splits is the reported distance, unless that is far off', async (t) => {
  const speed = every(1, constant(1000, 2));
  const sum = (reported: number | null) =>
    rounded(splitsOf(speed, none, reported).reduce((total, { meters }) => total + meters, 0));
  t.strictSame([2000, 2300, 1800, 5000, null].map(sum), [2000, 2300, 1800, 2000, 2000]);
});

t.test('no speed has no splits, and a fast sample may have several', async (t) => {
  t.strictSame(splitsOf(none, none, 5000), []);
  t.strictSame(splitsOf(every(1, constant(100, 0)), none, 0), []);
  t.equal(splitsOf(every(20, constant(10, 140)), none, null).length, 28);
});

t.test('a pace is minutes and seconds of a kilometre, and a stop has none', async (t) => {
  t.strictSame([307, 299.7, 60, 3599].map(paceText), ['5:07', '5:00', '1:00', '59:59']);
  t.strictSame([2.5, 0.1, 0, undefined].map(paceOf), [400, null, null, null]);
});

t.test('splits may be miles', async (t) => {
  const splits = splitsOf(every(1, constant(1000, 2)), none, 2000, 1609.344);
  t.strictSame(
    splits.map(({ meters }) => rounded(meters)),
    [1609.344, 390.656],
  );
});
