import type { Workout } from '../../../../../clients/typescript/src/index.ts';
import { duration } from '../../../duration.ts';
import { distance } from '../../../units.ts';

/** The ranges of the list, by their names in the address. */
export const ranges = [
  { name: '30d', title: '30 days', days: 30 },
  { name: '90d', title: '90 days', days: 90 },
  { name: '1y', title: 'A year', days: 365 },
  { name: 'all', title: 'All', days: 7300 },
] as const;

/** The range that the address names; 90 days if it names none. */
export const rangeNamed = (name: string | null) => ranges.find((one) => one.name === name) ?? ranges[1];

/** The kinds of the workouts, the most frequent first, with their numbers. */
export function kindsOf(
  workouts: readonly Pick<Workout, 'type'>[],
): { type: Workout['type']; count: number }[] {
  const groups = Map.groupBy(workouts, ({ type }) => type);
  return [...groups]
    .map(([type, all]) => ({ type, count: all.length }))
    .toSorted((one, other) => other.count - one.count || one.type.localeCompare(other.type));
}

/** What a list of workouts adds up to: `12 workouts, 84.2 km in 9 h 3 min.` */
export function sumText(workouts: readonly Pick<Workout, 'distance_meters' | 'duration_seconds'>[]): string {
  const meters = workouts.reduce((sum, one) => sum + (one.distance_meters ?? 0), 0);
  const seconds = workouts.reduce((sum, one) => sum + one.duration_seconds, 0);
  const what = workouts.length === 1 ? '1 workout' : `${workouts.length} workouts`;
  return `${what}, ${meters === 0 ? '' : `${distance(meters)} in `}${hours(seconds)}.`;
}

// The sum of many workouts is not told in days.
const hours = (seconds: number) =>
  seconds < 172_800 ? duration(seconds) : `${Math.round(seconds / 3600)} h`;
