import t from 'tap';
import { decimalText, type RasterSample, rasterOf } from '../../../domain/fhir/raster.ts';

const start = Date.UTC(2026, 2, 1);
const sample = (offsetMs: number, value: number, lengthMs: number | null = null): RasterSample => ({
  startMs: start + offsetMs,
  endMs: lengthMs === null ? null : start + offsetMs + lengthMs,
  value,
});
const each = (count: number, stepMs: number, lengthMs: number | null = null) =>
  Array.from({ length: count }, (_, index) => sample(index * stepMs, index, lengthMs));

const refused: readonly (readonly [string, readonly RasterSample[]])[] = [
  ['none', []],
  ['nine samples', each(9, 60_000)],
  ['two at one instant', [...each(10, 60_000), sample(9 * 60_000, 4)]],
  ['too far apart', [...each(9, 1), sample(1000, 1)]],
  ['intervals with a gap between them', each(12, 60_000, 30_000)],
  ['an interval of another length', [...each(11, 60_000, 60_000), sample(11 * 60_000, 1, 120_000)]],
];

t.test('what is no raster', (t) => {
  for (const [name, samples] of refused) t.equal(rasterOf(samples), null, name);
  t.end();
});

t.test('the period is the largest that all samples are on, and each slot without one is E', (t) => {
  t.same(rasterOf(each(10, 60_000)), { period_ms: 60_000, data: '0 1 2 3 4 5 6 7 8 9' });
  const uneven = [0, 2, 3, 5, 8, 13, 14, 15, 17, 18].map((slot) => sample(slot * 15_000, slot / 2));
  t.same(rasterOf(uneven), {
    period_ms: 15_000,
    data: '0 E 1 1.5 E 2.5 E E 4 E E E E 6.5 7 7.5 E 8.5 9',
  });
  const apart = [0, 6, 10, 16, 20, 26, 30, 36, 40, 46].map((slot) => sample(slot * 1000, slot));
  t.match(rasterOf(apart), { period_ms: 2000, data: /^0 E E 6 E 10 / }, 'smaller than every distance');
  t.same(rasterOf([...each(9, 1), sample(999, 1)])?.period_ms, 1, 'a hundred slots a sample');
  t.same(rasterOf(each(12, 300_000, 300_000))?.period_ms, 300_000, 'intervals that fill their slots');
  t.end();
});

t.test('every sample is recovered exactly, of any values', (t) => {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let round = 0; round < 200; round += 1) {
    const step = [1, 250, 1000, 60_000, 900_000][round % 5] ?? 1;
    let at = 0;
    const samples = Array.from({ length: 10 + Math.floor(random() * 200) }, () => {
      at += step * (1 + Math.floor(random() ** 6 * 40));
      return sample(at, random() < 0.3 ? -random() * 1e-9 : Math.round(random() * 1e6) / 1000);
    });
    const raster = rasterOf(samples);
    if (raster === null) continue;
    const read = raster.data
      .split(' ')
      .flatMap((text, slot) =>
        text === 'E' ? [] : [[(samples[0]?.startMs ?? 0) + slot * raster.period_ms, Number(text)]],
      );
    t.same(
      read,
      samples.map(({ startMs, value }) => [startMs, value]),
      `${round}`,
    );
    t.match(raster.data, /^(-?\d+(\.\d+)?|E)( (-?\d+(\.\d+)?|E))*$/);
  }
  t.end();
});

t.test('numbers have no exponent', (t) => {
  t.equal(decimalText(1e-7), '0.0000001');
  t.equal(decimalText(-2.5e-9), '-0.0000000025');
  t.equal(decimalText(71.35), '71.35');
  t.end();
});
