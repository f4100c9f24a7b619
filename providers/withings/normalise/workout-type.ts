import type { WorkoutType } from '../../../domain/records/workout-types.ts';

/** Categories of workouts by number: the name and the workout type. */
const categories: Readonly<Record<number, readonly [name: string, type: WorkoutType]>> = {
  1: ['Walk', 'walking'],
  2: ['Run', 'running'],
  3: ['Hiking', 'hiking'],
  6: ['Bicycling', 'cycling'],
  7: ['Swimming', 'swimming'],
  16: ['Weights', 'strength_training'],
  17: ['Fitness', 'strength_training'],
  18: ['Elliptical', 'elliptical'],
  19: ['Pilates', 'pilates'],
  28: ['Yoga', 'yoga'],
  36: ['Other', 'other'],
  187: ['Rowing', 'rowing'],
  306: ['Indoor walk', 'walking'],
  307: ['Indoor run', 'running'],
  308: ['Indoor cycling', 'cycling'],
  498: ['Trail run', 'running'],
};

/** The category of rows that are no activity. */
export const noActivity = 128;

/** The workout type of a category, and a name for workouts of it. */
export function categoryOf(category: number): { readonly name: string; readonly type: WorkoutType } {
  const [name, type] = categories[category] ?? ['Workout', 'other'];
  return { name, type };
}
