import type { WorkoutType } from '../../../domain/records/workout-types.ts';

/** Maps the activity platform's sport types to workout types. All others are `other`. */
const table: readonly (readonly [type: WorkoutType, names: string])[] = [
  ['running', 'Run TrailRun VirtualRun'],
  ['walking', 'Walk'],
  ['hiking', 'Hike'],
  [
    'cycling',
    'Ride MountainBikeRide GravelRide EBikeRide EMountainBikeRide VirtualRide Velomobile Handcycle',
  ],
  ['swimming', 'Swim'],
  ['strength_training', 'WeightTraining'],
  ['hiit', 'HighIntensityIntervalTraining'],
  ['yoga', 'Yoga'],
  ['pilates', 'Pilates'],
  ['rowing', 'Rowing VirtualRow'],
  ['elliptical', 'Elliptical'],
];

const byName = new Map(
  table.flatMap(([type, names]) => names.split(' ').map((name) => [name.toLowerCase(), type] as const)),
);

/** The workout type of a sport type. */
export function workoutTypeOf(sportType: string): WorkoutType {
  return byName.get(sportType.trim().toLowerCase()) ?? 'other';
}

/** A name for an unnamed activity: its type in plain words. */
export function plainName(sportType: string): string {
  const words = sportType
    .trim()
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return words === '' ? 'Activity' : words.charAt(0).toUpperCase() + words.slice(1);
}
