/** Values of `record_type` and of a workout's `type`. */
export const workoutTypes = [
  'running',
  'walking',
  'cycling',
  'swimming',
  'strength_training',
  'hiit',
  'yoga',
  'pilates',
  'rowing',
  'elliptical',
  'hiking',
  'other',
] as const;

/** A workout type, as on the wire. */
export type WorkoutType = (typeof workoutTypes)[number];

/** Types that two providers may give one and the same workout; every type not listed is a family of its own. */
const families: readonly (readonly WorkoutType[])[] = [
  ['walking', 'hiking'],
  ['strength_training', 'hiit', 'yoga', 'pilates'],
];

/** Whether two types can name the same workout; `other` goes with any. */
export function sameFamily(a: WorkoutType, b: WorkoutType): boolean {
  if (a === b || a === 'other' || b === 'other') return true;
  return families.some((family) => family.includes(a) && family.includes(b));
}
