/** The mean. NaN without values. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / values.length;

/** The median: of an even number of values the mean of the two in the middle. NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const below = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  const above = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return (below + above) / 2;
}

/** The median of the distances from the median. */
export function medianAbsoluteDeviation(values: readonly number[], from = median(values)): number {
  return median(values.map((one) => Math.abs(one - from)));
}

/** The standard deviation of a sample (divided by n - 1). NaN with fewer than two values. */
export function standardDeviation(values: readonly number[]): number {
  const middle = mean(values);
  const squares = values.reduce((sum, one) => sum + (one - middle) ** 2, 0);
  return values.length < 2 ? Number.NaN : Math.sqrt(squares / (values.length - 1));
}

/**
 * Whether a spread around a middle is no more than the rounding of floating point numbers, so that the values are equal: seven
 * times 3.2 have a mean of 3.2000000000000006 and a standard deviation of 5e-16.
 */
export const isRounding = (spread: number, middle: number): boolean => spread <= 1e-9 * Math.abs(middle);

/** A quantile of sorted values, by linear interpolation between the neighbours (type 7 of Hyndman and Fan). */
export function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * The exponentially weighted mean after each value, from a start: each value moves the mean by `share` of its distance. The
 * answer has one entry for each value.
 */
export function weightedMeans(values: readonly number[], share: number, start: number): number[] {
  let last = start;
  return values.map((value) => {
    last += (value - last) * share;
    return last;
  });
}
