import t from 'tap';
import { decodeTimes, decodeValues, encodeTimes, encodeValues } from '../../domain/records/sample-codec.ts';
import { seeded } from '../services/timeseries/model.ts';

const start = Date.parse('2026-03-01T08:00:00Z');

t.test('instants are decoded exactly', async (t) => {
  const random = seeded(1);
  const steps = (n: number, next: () => number) => {
    let last = start;
    return Array.from({ length: n }, () => (last += 1 + Math.floor(next())));
  };
  const cases = [
    [],
    [0],
    [start],
    [start, start + 1],
    [start, start + 31 * 86_400_000],
    Array.from({ length: 7200 }, (_, second) => start + second * 1000),
    steps(5000, () => random() * 10_000),
    steps(5000, () => Math.floor(random() * 2) * 999),
  ];
  for (const times of cases) t.strictSame(decodeTimes(encodeTimes(times)), times);
});

t.test('values are decoded exactly', async (t) => {
  const random = seeded(2);
  const many = (value: () => number) => Array.from({ length: 3000 }, value);
  const cases = [
    [],
    [0, -0, 1],
    [300, 1, 300],
    many(() => Math.floor(random() * 300)),
    many(() => Math.floor(random() * 600 - 300) / 10),
    many(() => Math.round(random() * 11_000) / 1000),
    many(() => Math.fround(random() * 11)),
    many(() => random() * 11),
    [Number.MAX_SAFE_INTEGER, -Number.MAX_VALUE, Number.MIN_VALUE, 0.1 + 0.2],
  ];
  for (const values of cases) t.strictSame(decodeValues(encodeValues(values)), values);
});

t.test('an hour of heart rates at 1 Hz takes less than two bytes a sample', async (t) => {
  const random = seeded(3);
  const times = Array.from({ length: 3600 }, (_, second) => start + second * 1000);
  let rate = 120;
  const values = times.map(() => (rate = Math.min(180, Math.max(60, rate + Math.floor(random() * 7) - 3))));
  t.ok(encodeTimes(times).length < 20);
  t.ok(encodeValues(values).length < 7200);
});
