import { peakCadence, weekOfActivity } from './activity-goals.ts';
import { baselineOf, deviationOf } from './baseline.ts';
import { estimatedOxygenUptake } from './fitness.ts';
import { glucoseReportOf } from './glucose.ts';
import { banisterImpulse, edwardsImpulse, secondsInZones, zonesByReserve } from './heart-rate-load.ts';
import { hrvStabilityOf } from './hrv-stability.ts';
import { regularityIndex, socialJetLag } from './regularity.ts';
import { sleepScoreOf } from './sleep-score.ts';
import { acuteChronicRatio, fitnessAndFatigue, monotonyOf } from './training-load.ts';

/**
 * The methods by name: the version, which goes up when a result changes, and the function. The page of a method is
 * docs/insights/ with its name; the tests run the example of that page.
 */
export const insightMethods = {
  baseline: { version: 1, of: baselineOf },
  deviation: { version: 1, of: deviationOf },
  sleep_score: { version: 1, of: sleepScoreOf },
  hrv_stability: { version: 2, of: hrvStabilityOf },
  sleep_regularity: { version: 1, of: regularityIndex },
  social_jet_lag: { version: 1, of: socialJetLag },
  banister_impulse: { version: 1, of: banisterImpulse },
  edwards_impulse: { version: 1, of: edwardsImpulse },
  heart_rate_zones: { version: 1, of: secondsInZones },
  heart_rate_reserve_zones: { version: 1, of: zonesByReserve },
  fitness_and_fatigue: { version: 1, of: fitnessAndFatigue },
  monotony: { version: 1, of: monotonyOf },
  acute_chronic_ratio: { version: 1, of: acuteChronicRatio },
  weekly_activity: { version: 1, of: weekOfActivity },
  peak_cadence: { version: 1, of: peakCadence },
  oxygen_uptake: { version: 1, of: estimatedOxygenUptake },
  glucose_report: { version: 1, of: glucoseReportOf },
} as const;

/** The name of a method. */
export type InsightMethod = keyof typeof insightMethods;
