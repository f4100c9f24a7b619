import { type Finding, found, missing } from './finding.ts';
import { isRounding, mean, standardDeviation, weightedMeans } from './statistics.ts';

/** The load of consecutive local days, the oldest first; 0 for a day without a workout. */
export type DailyLoads = readonly number[];

const [fitnessDays, fatigueDays] = [42, 7];
const [chronicDays, acuteDays] = [28, 7];
const weekDays = 7;

/** Fitness, fatigue and form of a day, in the unit of the load. */
export interface FitnessAndFatigue {
  /** Chronic training load: the exponentially weighted mean with a time constant of 42 days. */
  readonly chronic: number;
  /** Acute training load: that of 7 days. */
  readonly acute: number;
  /** Training stress balance: chronic minus acute load of the day before. */
  readonly balance: number;
}

/** The loads of a day from all days up to it. Both means begin with 0, so that 42 days are needed. */
export function fitnessAndFatigue(loads: DailyLoads): Finding<FitnessAndFatigue> {
  const share = loads.length / fitnessDays;
  if (loads.length < fitnessDays) return missing('too_few_days', share);
  const chronic = weightedMeans(loads, 1 - Math.exp(-1 / fitnessDays), 0);
  const acute = weightedMeans(loads, 1 - Math.exp(-1 / fatigueDays), 0);
  const at = (list: readonly number[], index: number) => list.at(index) ?? 0;
  return found({ chronic: at(chronic, -1), acute: at(acute, -1), balance: at(chronic, -2) - at(acute, -2) });
}

/** The monotony of a week (Foster 1998): the mean of the daily loads divided by their standard deviation. */
export interface Monotony {
  readonly weekLoad: number;
  readonly monotony: number;
  /** The load of the week times the monotony. */
  readonly strain: number;
}

/** Monotony and strain of the last seven days. */
export function monotonyOf(loads: DailyLoads): Finding<Monotony> {
  const week = loads.slice(-weekDays);
  const share = week.length / weekDays;
  if (week.length < weekDays) return missing('too_few_days', share);
  const deviation = standardDeviation(week);
  if (isRounding(deviation, mean(week))) return missing('no_variation', share);
  const weekLoad = week.reduce((sum, one) => sum + one, 0);
  const monotony = mean(week) / deviation;
  return found({ weekLoad, monotony, strain: weekLoad * monotony });
}

/**
 * The ratio of acute to chronic load with exponentially weighted means (Williams 2017): the share of a new day is 2 / (N + 1) for N
 * of 7 and 28 days. Both begin with the load of the first day.
 */
export function acuteChronicRatio(loads: DailyLoads): Finding<number> {
  const share = loads.length / chronicDays;
  if (loads.length < chronicDays) return missing('too_few_days', share);
  const [first = 0] = loads;
  const last = (days: number) => weightedMeans(loads, 2 / (days + 1), first).at(-1) ?? 0;
  const chronic = last(chronicDays);
  return chronic === 0 ? missing('no_data', share) : found(last(acuteDays) / chronic);
}
