import type { WorkoutType } from '../../../domain/records/workout-types.ts';

/** Workout types and the activity types that they have, by name or ending. All others are `other`. */
const types: readonly (readonly [type: WorkoutType, names: RegExp])[] = [
  ['running', /^RUNNING$|_RUN(NING)?$/],
  [
    'cycling',
    /^(CYCLING|BMX|CYCLOCROSS|E_BIKE_(FITNESS|MOUNTAIN)|(E_)?ENDURO_MTB|(INDOOR_)?HANDCYCLING)$|_(RIDE|CYCLING|BIKING)$/,
  ],
  ['swimming', /^SWIMMING$|_SWIMMING$/],
  ['walking', /^WALKING$|_WALKING$/],
  ['strength_training', /^STRENGTH_TRAINING$/],
  ['hiit', /^HIIT$/],
  ['yoga', /^YOGA$/],
  ['pilates', /^PILATES$/],
  ['elliptical', /^ELLIPTICAL$/],
  ['rowing', /^(INDOOR_)?ROWING$/],
  ['hiking', /^(HIKING|RUCKING)$/],
];

/** An activity type without variations of case, blanks, hyphens and a trailing version. */
export function plainActivityType(raw: string): string {
  return raw.trim().toUpperCase().replaceAll(/[\s-]/g, '_').replace(/_V2$/, '');
}

/** The workout type of an activity type. */
export function workoutTypeOf(raw: string): WorkoutType {
  const name = plainActivityType(raw);
  return types.find(([, names]) => names.test(name))?.[0] ?? 'other';
}

/** A name for an unnamed activity: its type in plain words. */
export function plainName(raw: string): string {
  const words = plainActivityType(raw).replaceAll('_', ' ').trim().toLowerCase();
  return words === '' ? 'Activity' : words.charAt(0).toUpperCase() + words.slice(1);
}
