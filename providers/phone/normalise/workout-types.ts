import type { WorkoutType } from '../../../domain/records/workout-types.ts';

/** Workout types of HealthKit and Health Connect by ours. All that are not listed are `other`. */
const names: Readonly<Record<Exclude<WorkoutType, 'other'>, readonly string[]>> = {
  running: ['running', 'running_treadmill', 'track_and_field', 'trail_running'],
  walking: ['walking'],
  cycling: [
    'cycling',
    'cycling_stationary',
    'hand_cycling',
    'biking',
    'biking_stationary',
    'mountain_biking',
  ],
  swimming: ['swimming', 'swimming_pool', 'swimming_open_water', 'water_fitness'],
  strength_training: [
    ...['strength_training', 'functional_strength_training', 'traditional_strength_training'],
    ...['core_training', 'weightlifting', 'calisthenics'],
  ],
  hiit: ['hiit', 'high_intensity_interval_training', 'boot_camp', 'cross_training'],
  yoga: ['yoga'],
  pilates: ['pilates'],
  rowing: ['rowing', 'rowing_machine'],
  elliptical: ['elliptical'],
  hiking: ['hiking', 'snowshoeing'],
};

const byName: ReadonlyMap<string, WorkoutType> = new Map(
  Object.entries(names).flatMap(([type, own]) => own.map((name) => [name, typeNamed(type)] as const)),
);

function typeNamed(type: string): WorkoutType {
  return isKnown(type) ? type : 'other';
}

function isKnown(type: string): type is keyof typeof names {
  return Object.hasOwn(names, type);
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
