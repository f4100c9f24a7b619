import type { SteadyRun } from './day-facts.ts';
import { type Finding, found, missing } from './finding.ts';
import type { HeartRateLimits } from './heart-rate-load.ts';

const leastSeconds = 600;
/** The equation of running holds from 134 m/min (8 km/h) on. */
const leastMetersPerMinute = 134;
const [leastShare, mostShare] = [0.5, 0.95];
const restingOxygen = 3.5;

/**
 * The maximal oxygen uptake in ml/(kg·min), estimated from a steady run: the oxygen cost of running (ACSM: 0.2 times the speed plus
 * 0.9 times speed and grade plus 3.5) divided by the share of the heart rate reserve, which equals the share of the oxygen uptake
 * reserve. Needs ten minutes at 134 m/min or more between 50 and 95 % of the reserve.
 */
export function estimatedOxygenUptake(
  run: SteadyRun | null,
  { restBpm, maxBpm }: HeartRateLimits,
): Finding<number> {
  if (run === null || run.seconds < leastSeconds || run.metersPerMinute < leastMetersPerMinute)
    return missing('not_steady');
  if (restBpm === null) return missing('no_resting_heart_rate');
  if (maxBpm === null || maxBpm <= restBpm) return missing('no_maximum_heart_rate');
  const share = (run.bpm - restBpm) / (maxBpm - restBpm);
  if (share < leastShare || share > mostShare) return missing('not_steady');
  const reserveUsed = 0.2 * run.metersPerMinute + 0.9 * run.metersPerMinute * run.grade;
  return found(restingOxygen + reserveUsed / share);
}
