import { type Finding, found, missing } from './finding.ts';
import { median } from './statistics.ts';

/** A night as the score needs it. Bedtimes are minutes after the noon before, by the local clock. */
export interface ScoredNight {
  /** Null where the source does not say how long the user slept. */
  readonly asleepMinutes: number | null;
  /** Null where the source sent no stages. */
  readonly deepMinutes: number | null;
  readonly remMinutes: number | null;
  readonly bedtimeMinutes: number;
  /** The bedtimes of the nights before, the newest last. */
  readonly earlierBedtimes: readonly number[];
  /** The time awake between falling asleep and the last waking. */
  readonly awakeMinutes: number;
  /** How long each time awake was. */
  readonly awakenings: readonly number[];
}

/** The share of each component in the score; together 1. */
export interface SleepWeights {
  readonly duration: number;
  readonly stages: number;
  readonly consistency: number;
  readonly interruptions: number;
}

/** The weights of the documented score. */
export const usualSleepWeights: SleepWeights = {
  duration: 0.4,
  stages: 0.2,
  consistency: 0.2,
  interruptions: 0.2,
};

/** The score of a night and its components, each a whole number from 0 to 100. */
export interface SleepScore {
  readonly score: number;
  readonly components: Readonly<Record<keyof SleepWeights, number>>;
}

/** The number of nights before whose bedtimes are compared. */
export const bedtimeNights = 14;
const mostMinutes = 1440;
const [leastHours, mostHours] = [7, 9];
const stageTargetMinutes = 90;
const noonSeconds = 43_200;
const graceMinutes = 15;
const penaltyMinutes = 105;
const mostEarlyPenalty = 20;
const awakeGraceMinutes = 20;
const awakePenaltyMinutes = 70;
const longAwakeMinutes = 5;
const awakeningPoints = [20, 20, 15, 10, 0] as const;

/**
 * The sleep score as Open Wearables documents and computes it: duration, stages, consistency and interruptions, each cut to a
 * whole number. A night without stages, or without an earlier night, has none: there a component would count as 0. Each formula
 * is computed in the order of the reference, since the cut makes a rounding error of 1e-14 a point.
 */
export function sleepScoreOf(night: ScoredNight, weights = usualSleepWeights): Finding<SleepScore> {
  const { asleepMinutes, deepMinutes, remMinutes, earlierBedtimes } = night;
  const share = Math.min(1, earlierBedtimes.length / bedtimeNights);
  if (asleepMinutes === null || asleepMinutes <= 0 || asleepMinutes > mostMinutes)
    return missing('no_data', share);
  if (deepMinutes === null || remMinutes === null) return missing('no_stages', share);
  if (earlierBedtimes.length === 0) return missing('no_earlier_night', share);
  const components = {
    duration: durationPoints(asleepMinutes / 60),
    stages: Math.trunc(stagePoints(deepMinutes) * 0.5 + stagePoints(remMinutes) * 0.5),
    consistency: consistencyPoints(night.bedtimeMinutes, earlierBedtimes.slice(-bedtimeNights)),
    interruptions: interruptionPoints(night),
  };
  const { duration, stages, consistency, interruptions } = components;
  const whole =
    (duration / 100) * weights.duration +
    (stages / 100) * weights.stages +
    (consistency / 100) * weights.consistency +
    (interruptions / 100) * weights.interruptions;
  return found({ score: Math.trunc(100 * whole), components }, share);
}

function durationPoints(hours: number): number {
  if (hours >= leastHours && hours <= mostHours) return 100;
  if (hours < leastHours) return Math.trunc(fallOff(hours, { steepness: -1.5, middle: 5, edge: leastHours }));
  return Math.max(50, Math.trunc(fallOff(hours, { steepness: 0.8, middle: 11, edge: mostHours })));
}

interface FallOff {
  readonly steepness: number;
  readonly middle: number;
  readonly edge: number;
}

// A logistic curve that is 100 at the edge.
const fallOff = (hours: number, { steepness, middle, edge }: FallOff) =>
  (100 * (1 + Math.exp(steepness * (edge - middle)))) / (1 + Math.exp(steepness * (hours - middle)));

const stagePoints = (minutes: number) =>
  Math.trunc(Math.min(1, Math.max(0, minutes / stageTargetMinutes)) * 100);

function consistencyPoints(bedtime: number, earlier: readonly number[]): number {
  const later = (hoursAfterNoon(bedtime) - median(earlier.map(hoursAfterNoon))) * 60;
  const beyond = Math.max(0, Math.abs(later) - graceMinutes);
  const penalty = (beyond / penaltyMinutes) * 100;
  return Math.max(0, Math.trunc(100 - (later < 0 ? Math.min(mostEarlyPenalty, penalty) : penalty)));
}

// As the reference: the hour, minute and whole second of the clock, in hours, less those of noon. 36 minutes later
// than 23:00 become 36.000000000000085, and the points 79 instead of 80.
function hoursAfterNoon(minutes: number): number {
  const seconds = Math.floor(minutes * 60 + 1e-6) + noonSeconds;
  const hours =
    (Math.floor(seconds / 3600) % 24) + (Math.floor(seconds / 60) % 60) / 60 + (seconds % 60) / 3600;
  return (hours < 12 ? hours + 24 : hours) - 12;
}

function interruptionPoints({ awakeMinutes, awakenings }: ScoredNight): number {
  const beyond = Math.max(0, awakeMinutes - awakeGraceMinutes);
  const calm = Math.max(0, 80 - (beyond / awakePenaltyMinutes) * 80);
  const count = awakenings.filter((minutes) => minutes > longAwakeMinutes).length;
  return Math.trunc(calm + (awakeningPoints[Math.min(count, awakeningPoints.length - 1)] ?? 0));
}
