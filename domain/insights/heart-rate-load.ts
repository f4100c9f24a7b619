import { type Finding, found, missing } from './finding.ts';

/** Heart rates of a workout: a value and for how long it holds, in seconds. */
export interface HeartRateSpan {
  readonly bpm: number;
  readonly seconds: number;
}

/** The heart rates of a user at rest and at the highest effort. Null where they are not known. */
export interface HeartRateLimits {
  readonly restBpm: number | null;
  readonly maxBpm: number | null;
}

/** Which weights of Banister's formula hold. */
export type Sex = 'female' | 'male';

const banisterWeights = { male: [0.64, 1.92], female: [0.86, 1.67] } as const;

/**
 * The training impulse of Banister (1991): minutes times the share of the heart rate reserve, weighted by an exponential of that
 * share. Heart rates below rest count as rest, those above the maximum as the maximum.
 */
export function banisterImpulse(
  spans: readonly HeartRateSpan[],
  { restBpm, maxBpm }: HeartRateLimits,
  sex: Sex | null,
): Finding<number> {
  if (spans.length === 0) return missing('no_heart_rate');
  if (sex === null) return missing('no_sex');
  if (restBpm === null) return missing('no_resting_heart_rate');
  if (maxBpm === null || maxBpm <= restBpm) return missing('no_maximum_heart_rate');
  const [factor, exponent] = banisterWeights[sex];
  const impulse = spans.reduce((sum, { bpm, seconds }) => {
    const share = Math.min(1, Math.max(0, (bpm - restBpm) / (maxBpm - restBpm)));
    return sum + (seconds / 60) * share * factor * Math.exp(exponent * share);
  }, 0);
  return found(impulse);
}

/** The lower edges of five zones, in bpm. Time below the first is in none. */
export type ZoneEdges = readonly [number, number, number, number, number];

const edgesFrom = (edge: (share: number) => number): ZoneEdges => [
  edge(0.5),
  edge(0.6),
  edge(0.7),
  edge(0.8),
  edge(0.9),
];

/** Five zones by shares of the maximum heart rate: from 50, 60, 70, 80 and 90 %. */
export const zonesByMaximum = (maxBpm: number) => edgesFrom((share) => share * maxBpm);

/** Five zones by shares of the heart rate reserve (Karvonen). */
export const zonesByReserve = (restBpm: number, maxBpm: number) =>
  edgesFrom((share) => restBpm + share * (maxBpm - restBpm));

/** The seconds in each of five zones. */
export function secondsInZones(spans: readonly HeartRateSpan[], edges: ZoneEdges): number[] {
  const seconds = [0, 0, 0, 0, 0];
  for (const span of spans) {
    const zone = edges.findLastIndex((edge) => span.bpm >= edge);
    if (zone >= 0) seconds[zone] = (seconds[zone] ?? 0) + span.seconds;
  }
  return seconds;
}

/** The training impulse of Edwards (1993): the minutes in five zones of the maximum heart rate, times 1 to 5. */
export function edwardsImpulse(spans: readonly HeartRateSpan[], maxBpm: number | null): Finding<number> {
  if (spans.length === 0) return missing('no_heart_rate');
  if (maxBpm === null) return missing('no_maximum_heart_rate');
  const seconds = secondsInZones(spans, zonesByMaximum(maxBpm));
  return found(seconds.reduce((sum, one, zone) => sum + (one / 60) * (zone + 1), 0));
}
