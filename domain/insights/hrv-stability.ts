import { type Finding, found, missing } from './finding.ts';
import { isRounding, mean, standardDeviation } from './statistics.ts';

/** The nights of the coefficient of variation, and how many of them need a value. */
export const stabilityNights = 7;
const leastStabilityNights = 5;

/** How steady the heart rate variability of seven nights is. */
export interface HrvStability {
  /** The standard deviation of the nightly means divided by their mean. */
  readonly coefficient: number;
  readonly meanMs: number;
  readonly nights: number;
}

/**
 * The coefficient of variation of the nightly means of heart rate variability over seven nights, at least five of them with a
 * value. `means`: one for each of the last seven nights, null without a sample in a stage of sleep.
 */
export function hrvStabilityOf(means: readonly (number | null)[]): Finding<HrvStability> {
  const known = means.slice(-stabilityNights).filter((one) => one !== null);
  const share = known.length / stabilityNights;
  if (known.length < leastStabilityNights) return missing('too_few_nights', share);
  const meanMs = mean(known);
  if (meanMs === 0) return missing('no_data', share);
  const deviation = standardDeviation(known);
  const coefficient = isRounding(deviation, meanMs) ? 0 : deviation / meanMs;
  return found({ coefficient, meanMs, nights: known.length }, share);
}
