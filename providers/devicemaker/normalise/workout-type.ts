import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import { workoutTypeNamed } from '../../../domain/workouts/sport-names.ts';

/** An activity type without variations of case, blanks, hyphens and a trailing version. */
export function plainActivityType(raw: string): string {
  return raw.trim().toUpperCase().replaceAll(/[\s-]/g, '_').replace(/_V2$/, '');
}

/** A name for an unnamed activity: its type in plain words. */
export function plainName(raw: string): string {
  const words = plainActivityType(raw).replaceAll('_', ' ').trim().toLowerCase();
  return words === '' ? 'Activity' : words.charAt(0).toUpperCase() + words.slice(1);
}

const others: ReadonlySet<string> = new Set(['mountaineering']);

/** The workout type of an activity type. */
export const workoutTypeOf = (raw: string): WorkoutType => workoutTypeNamed(raw, others);
