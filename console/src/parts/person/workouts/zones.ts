import type { Course } from '../../lanes/course.ts';

/** A zone of the heart rate, from `from` to below `to`, and the time in it. */
export interface HeartZone {
  readonly number: number;
  readonly name: string;
  readonly from: number;
  /** Null: without a limit. */
  readonly to: number | null;
  readonly seconds: number;
  readonly part: number;
}

const zones = [
  { name: 'Very light', from: 0.5 },
  { name: 'Light', from: 0.6 },
  { name: 'Moderate', from: 0.7 },
  { name: 'Hard', from: 0.8 },
  { name: 'Maximum', from: 0.9 },
];
/** A longer time between two values is a pause, unless the device measures so seldom. */
const pauseMs = 30_000;
const pauseFactor = 3;

/** The largest heart rate from which the zones are computed, and why it is that. */
export interface Maximum {
  readonly bpm: number;
  readonly basis: 'measured' | 'age' | 'workout';
}

/** The highest of a year, or the usual one of an age if that is higher; otherwise the highest of the workout. */
export function maximumOf(
  ofYear: number | null,
  age: number | null,
  ofWorkout: number | null,
): Maximum | null {
  const byAge = age === null ? null : 220 - age;
  if (byAge !== null && byAge > Math.max(ofYear ?? 0, ofWorkout ?? 0)) return { bpm: byAge, basis: 'age' };
  if (ofYear !== null && ofYear >= (ofWorkout ?? 0)) return { bpm: ofYear, basis: 'measured' };
  return ofWorkout === null ? null : { bpm: ofWorkout, basis: 'workout' };
}

/** The time in each of five zones, in tenths of the largest heart rate. Below the first one counts as the first. */
export function timeInZones(heartRate: Course, maximum: number): HeartZone[] {
  const bounds = zones.map(({ from }) => Math.round(from * maximum));
  const seconds = zones.map(() => 0);
  for (const { value, ms } of stepsOf(heartRate)) {
    const index = Math.max(
      0,
      bounds.findLastIndex((from) => value >= from),
    );
    seconds[index] = (seconds[index] ?? 0) + ms / 1000;
  }
  const whole = seconds.reduce((sum, one) => sum + one, 0);
  return zones.map(({ name }, index) => ({
    number: index + 1,
    name,
    from: bounds[index] ?? 0,
    to: bounds[index + 1] ?? null,
    seconds: seconds[index] ?? 0,
    part: whole === 0 ? 0 : (seconds[index] ?? 0) / whole,
  }));
}

function stepsOf({ times, values }: Course): { value: number; ms: number }[] {
  const distances = times.slice(0, -1).map((at, index) => (times[index + 1] ?? at) - at);
  const usual = distances.toSorted((one, other) => one - other)[Math.floor(distances.length / 2)] ?? 0;
  const longest = Math.max(pauseMs, pauseFactor * usual);
  return distances.flatMap((ms, index) => {
    const value = values[index] ?? null;
    return value === null || ms > longest ? [] : [{ value, ms }];
  });
}
