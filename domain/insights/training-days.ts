import type { DayFacts } from './day-facts.ts';
import { type Finding, found, missing } from './finding.ts';
import { estimatedOxygenUptake } from './fitness.ts';
import {
  banisterImpulse,
  edwardsImpulse,
  type HeartRateLimits,
  type HeartRateSpan,
  type Sex,
  secondsInZones,
  zonesByMaximum,
  zonesByReserve,
} from './heart-rate-load.ts';
import { median } from './statistics.ts';
import {
  acuteChronicRatio,
  type FitnessAndFatigue,
  fitnessAndFatigue,
  type Monotony,
  monotonyOf,
} from './training-load.ts';

/** The training of a local day: its workouts, and the loads of the days up to it. */
export interface TrainingDay {
  readonly workouts: number;
  readonly limits: HeartRateLimits;
  readonly edwards_impulse: Finding<number>;
  /** By sex, because the weights differ. */
  readonly banister_impulse: Readonly<Record<Sex, Finding<number>>>;
  readonly heart_rate_zones: Finding<readonly number[]>;
  readonly heart_rate_reserve_zones: Finding<readonly number[]>;
  readonly fitness_and_fatigue: Finding<FitnessAndFatigue>;
  readonly monotony: Finding<Monotony>;
  readonly acute_chronic_ratio: Finding<number>;
  /** `source` is set where a provider sent the value. */
  readonly oxygen_uptake: Finding<number> & { readonly source: readonly [string, string] | null };
}

/** The days of the highest heart rate, and those of the resting heart rate. */
const [maximumDays, restDays] = [365, 60];

/** The training of consecutive local days, from the first with data on. */
export function trainingDays(days: readonly (DayFacts | null)[]): TrainingDay[] {
  const loads: number[] = [];
  return days.map((day, index) => {
    const limits = limitsOf(days, index);
    const spans = (day?.heart ?? []).map(([bpm, seconds]): HeartRateSpan => ({ bpm, seconds }));
    const edwards = edwardsImpulse(spans, limits.maxBpm);
    loads.push(edwards.value ?? 0);
    const banister = (sex: Sex) => banisterImpulse(spans, limits, sex);
    return {
      workouts: day?.workouts ?? 0,
      limits,
      edwards_impulse: edwards,
      banister_impulse: { female: banister('female'), male: banister('male') },
      ...zonesOf(spans, limits),
      ...loadsOf(loads),
      oxygen_uptake: oxygenUptake(day, limits),
    };
  });
}

// The means of all days before are repeated for each day: 3 years take 2 ms.
const loadsOf = (loads: readonly number[]) => ({
  fitness_and_fatigue: fitnessAndFatigue(loads),
  monotony: monotonyOf(loads),
  acute_chronic_ratio: acuteChronicRatio(loads),
});

function limitsOf(days: readonly (DayFacts | null)[], index: number): HeartRateLimits {
  let maxBpm: number | null = null;
  for (const day of days.slice(Math.max(0, index - maximumDays + 1), index + 1)) {
    const highest = day?.heart?.at(-1)?.[0];
    if (highest !== undefined && (maxBpm === null || highest > maxBpm)) maxBpm = highest;
  }
  const resting = days
    .slice(Math.max(0, index - restDays + 1), index + 1)
    .flatMap((day) => day?.values?.resting_heart_rate?.[0] ?? []);
  return { restBpm: resting.length === 0 ? null : median(resting), maxBpm };
}

function zonesOf(spans: readonly HeartRateSpan[], { restBpm, maxBpm }: HeartRateLimits) {
  if (spans.length === 0 || maxBpm === null) {
    const none = missing(spans.length === 0 ? 'no_heart_rate' : 'no_maximum_heart_rate');
    return { heart_rate_zones: none, heart_rate_reserve_zones: none };
  }
  return {
    heart_rate_zones: found(secondsInZones(spans, zonesByMaximum(maxBpm))),
    heart_rate_reserve_zones:
      restBpm === null || restBpm >= maxBpm
        ? missing('no_resting_heart_rate')
        : found(secondsInZones(spans, zonesByReserve(restBpm, maxBpm))),
  };
}

function oxygenUptake(day: DayFacts | null, limits: HeartRateLimits): TrainingDay['oxygen_uptake'] {
  if (day?.vo2 === undefined) return { ...estimatedOxygenUptake(day?.run ?? null, limits), source: null };
  const [value, provider, device] = day.vo2;
  return { ...found(value), source: [provider, device] };
}
