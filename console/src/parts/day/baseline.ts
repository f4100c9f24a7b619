import { median } from './points.ts';

/** The usual resting heart rate of a user: the median of recent days, and the band in which two of three days lie. */
export interface Baseline {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** The number of days that have a value. */
  readonly days: number;
}

/** The days before a day that make its baseline, and how many of them have to have a value. */
export const baselineDays = 28;
const fewestDays = 14;
/** The standard deviation of a normal distribution, from the median of the absolute deviations. */
const deviationFactor = 1.4826;

/** The baseline of one value per day: median ± 1.4826 · MAD. Null for fewer than 14 days. */
export function baselineOf(values: readonly number[]): Baseline | null {
  const middle = median(values);
  if (middle === null || values.length < fewestDays) return null;
  const deviation = (median(values.map((value) => Math.abs(value - middle))) ?? 0) * deviationFactor;
  return { median: middle, low: middle - deviation, high: middle + deviation, days: values.length };
}

/** A value against the baseline: `3 below usual`. */
export function againstUsual(value: number, baseline: Baseline): string {
  const difference = Math.round(value) - Math.round(baseline.median);
  if (difference === 0) return 'as usual';
  return `${Math.abs(difference)} ${difference < 0 ? 'below' : 'above'} usual`;
}
