import type { WorkoutType } from '../../../domain/records/workout-types.ts';

/** Workout types of HealthKit and Health Connect by ours. All that are not listed are `other`. */
const byName: ReadonlyMap<string, WorkoutType> = new Map([
  ...named('running', 'running', 'running_treadmill', 'track_and_field', 'trail_running'),
  ...named('walking', 'walking'),
  ...named('cycling', 'cycling', 'cycling_stationary', 'hand_cycling'),
  ...named('cycling', 'biking', 'biking_stationary', 'mountain_biking'),
  ...named('swimming', 'swimming', 'swimming_pool', 'swimming_open_water', 'water_fitness'),
  ...named('strength_training', 'strength_training', 'functional_strength_training', 'core_training'),
  ...named('strength_training', 'traditional_strength_training', 'weightlifting', 'calisthenics'),
  ...named('hiit', 'hiit', 'high_intensity_interval_training', 'boot_camp', 'cross_training'),
  ...named('yoga', 'yoga'),
  ...named('pilates', 'pilates'),
  ...named('rowing', 'rowing', 'rowing_machine'),
  ...named('elliptical', 'elliptical'),
  ...named('hiking', 'hiking', 'snowshoeing'),
]);

function named(type: WorkoutType, ...names: readonly string[]): (readonly [string, WorkoutType])[] {
  return names.map((name) => [name, type]);
}

/** Our type of a workout. Health Connect's names are in upper case. */
export function workoutTypeOf(name: string): WorkoutType {
  return byName.get(name.trim().toLowerCase()) ?? 'other';
}

/** A name that is shown where the user gave none: `Functional strength training`. */
export function plainName(type: string): string {
  const words = type.trim().toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
