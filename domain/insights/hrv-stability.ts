import { type Finding, found, missing } from './finding.ts';
import { isRounding, mean, standardDeviation } from './statistics.ts';

/** The nights of the coefficient of variation, and how many of them need a value. */
export const stabilityNights = 7;
const leastStabilityNights = 5;
/** An hour of sleep at a measurement each five minutes. Of fewer, the stage that they fall into decides more than the night does. */
const leastNightSamples = 12;

/** The heart rate variability of a night: the mean of the samples within its stages of sleep, and their number. */
export interface NightVariability {
  readonly meanMs: number;
  readonly samples: number;
}

/** How steady the heart rate variability of seven nights is. */
export interface HrvStability {
  /** The standard deviation of the nightly means divided by their mean. */
  readonly coefficient: number;
  readonly meanMs: number;
  readonly nights: number;
}

/**
 * The coefficient of variation of the nightly means of heart rate variability over seven nights, at least five of them with 12
 * samples or more. `nights`: the last seven, null without a sample in a stage of sleep.
 */
export function hrvStabilityOf(nights: readonly (NightVariability | null)[]): Finding<HrvStability> {
  const known = nights.slice(-stabilityNights).filter((one) => one !== null);
  const means = known.filter(({ samples }) => samples >= leastNightSamples).map((night) => night.meanMs);
  const share = means.length / stabilityNights;
  if (known.length < leastStabilityNights) return missing('too_few_nights', share);
  if (means.length < leastStabilityNights) return missing('too_few_samples', share);
  const meanMs = mean(means);
  if (meanMs === 0) return missing('no_data', share);
  const deviation = standardDeviation(means);
  const coefficient = isRounding(deviation, meanMs) ? 0 : deviation / meanMs;
  return found({ coefficient, meanMs, nights: means.length }, share);
}
