import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import type { NumberRange } from './checks.ts';

type Bounds = readonly [least: number, most: number];

const climbed: Bounds = [0, 100_000];
const height: Bounds = [-1000, 50_000];

/** The ranges of values by the provider's units, and narrower ones of columns, or of a unit in a part of a record. */
const ranges: Readonly<Record<string, Bounds>> = {
  s: [0, 31 * 86_400],
  ms: [0.001, 1000],
  m: [0, 10_000_000],
  kcal: [0, 100_000],
  'm/s': [0, 150],
  'min/km': [0, 1000],
  bpm: [1, 300],
  rpm: [0, 300],
  W: [0, 5000],
  'steps/min': [0, 600],
  'strokes/min': [0, 300],
  'pushes/min': [0, 300],
  count: [0, 1_000_000],
  '1-100': [1, 100],
  '0-100': [0, 100],
  'day s': [0, 200_000],
  'day_values s': [0, 200_000],
  'sleep s': [0, 259_200],
  elevation_gain_meters: climbed,
  elevation_loss_meters: climbed,
  swim_lengths: climbed,
  elevation_high_meters: height,
  elevation_low_meters: height,
  pool_length_meters: [0, 1000],
  floors_climbed: climbed,
  floors_climbed_goal: climbed,
  'epoch active_seconds': [0, 86_400],
  body_battery_charged: [0, 1000],
  body_battery_drained: [0, 1000],
};

/** The range of a column of a record. Without a value of 0, such a value means that nothing was measured. */
export function rangeOf(part: string, column: string, unit: string): NumberRange {
  const names = [`${part} ${column}`, column, `${part} ${unit}`, unit, 'count'];
  const [least, most] = names.map((name) => ranges[name]).find((one) => one !== undefined) ?? climbed;
  return least <= 0
    ? { least, most }
    : { least, most, low: part === 'day_values' ? 'nothing' : 'a placeholder' };
}

/** The range of a series in a unit that `factor` converts. A negative count is an error. */
export function seriesRange(type: SeriesType, factor: number): NumberRange {
  const { min, max, bucket } = seriesOf(type);
  const scale = 1 / factor;
  return { least: min * scale, most: max * scale, ...(bucket === 'sum' ? {} : { low: 'a placeholder' }) };
}
