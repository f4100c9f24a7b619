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
 * The methods by name: the version, which goes up when a result or its inputs change, the page below docs/insights with the formula, whose example
 * the tests run, and the function.
 */
export const insightMethods = {
  baseline: { version: 1, page: 'baseline', of: baselineOf },
  deviation: { version: 1, page: 'baseline', of: deviationOf },
  sleep_score: { version: 1, page: 'sleep-score', of: sleepScoreOf },
  hrv_stability: { version: 2, page: 'hrv-stability', of: hrvStabilityOf },
  sleep_regularity: { version: 2, page: 'sleep-regularity', of: regularityIndex },
  social_jet_lag: { version: 1, page: 'sleep-regularity', of: socialJetLag },
  banister_impulse: { version: 1, page: 'training-impulse', of: banisterImpulse },
  edwards_impulse: { version: 1, page: 'training-impulse', of: edwardsImpulse },
  heart_rate_zones: { version: 1, page: 'training-impulse', of: secondsInZones },
  heart_rate_reserve_zones: { version: 1, page: 'training-impulse', of: zonesByReserve },
  fitness_and_fatigue: { version: 1, page: 'training-load', of: fitnessAndFatigue },
  monotony: { version: 1, page: 'training-load', of: monotonyOf },
  acute_chronic_ratio: { version: 1, page: 'training-load', of: acuteChronicRatio },
  weekly_activity: { version: 1, page: 'activity', of: weekOfActivity },
  peak_cadence: { version: 1, page: 'activity', of: peakCadence },
  oxygen_uptake: { version: 1, page: 'oxygen-uptake', of: estimatedOxygenUptake },
  glucose_report: { version: 1, page: 'glucose', of: glucoseReportOf },
} as const;

/** The name of a method. */
export type InsightMethod = keyof typeof insightMethods;
