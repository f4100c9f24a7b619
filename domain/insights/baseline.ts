import { type Finding, found, missing } from './finding.ts';
import { isRounding, median, medianAbsoluteDeviation } from './statistics.ts';

/** The scale that makes the median absolute deviation of a normal distribution its standard deviation. */
export const madScale = 1.4826;
/** A baseline needs the values of this many days. */
const leastBaselineDays = 14;
/** A value this many robust standard deviations from the median is unusual. */
const unusualZ = 2;

/** What is usual for a user: the median of the days before a day, and their spread. */
export interface Baseline {
  readonly median: number;
  /** The median absolute deviation, times 1.4826. */
  readonly spread: number;
  readonly days: number;
}

/** The deviation of a day from what is usual. */
export interface Deviation {
  readonly value: number;
  /** The distance from the median in spreads. */
  readonly z: number;
  /** How many days of data in a row, the day included, are unusual on the same side; 0 if the day is not. */
  readonly unusualDays: number;
}

/** The values of consecutive local days, the oldest first; null for a day without one. */
export type DayValues = readonly (number | null)[];

/** The baseline of the `length` days before the last one. */
export function baselineOf(values: DayValues, length: number): Finding<Baseline> {
  const known = before(values, length).filter((one) => one !== null);
  const share = known.length / length;
  if (known.length < leastBaselineDays) return missing('too_few_days', share);
  const middle = median(known);
  const spread = medianAbsoluteDeviation(known, middle) * madScale;
  return found({ median: middle, spread, days: known.length }, share);
}

const before = (values: DayValues, length: number) => values.slice(0, -1).slice(-length);

/** How far the last day lies from the baseline of the `length` days before it. */
export function deviationOf(
  values: DayValues,
  length: number,
  baseline = baselineOf(values, length),
): Finding<Deviation> {
  const value = values.at(-1) ?? null;
  if (baseline.value === null) return baseline;
  if (value === null) return missing('no_data', baseline.confidence);
  const { median: middle, spread } = baseline.value;
  if (isRounding(spread, middle)) return missing('no_variation', baseline.confidence);
  const z = (value - middle) / spread;
  const sides = values.filter((one) => one !== null).map((one) => sideOf((one - middle) / spread));
  const side = sideOf(z);
  const run = sides.length - 1 - sides.findLastIndex((one) => one !== side);
  return found({ value, z, unusualDays: side === 0 ? 0 : run }, baseline.confidence);
}

const sideOf = (z: number) => (Math.abs(z) < unusualZ ? 0 : Math.sign(z));
