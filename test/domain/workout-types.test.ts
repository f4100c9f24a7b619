import t from 'tap';
import { sameFamily, type WorkoutType, workoutTypes } from '../../domain/records/workout-types.ts';

/** Families of the specification; every type that is in none is a family of its own. */
const families: readonly (readonly WorkoutType[])[] = [
  ['walking', 'hiking'],
  ['strength_training', 'hiit', 'yoga', 'pilates'],
];

t.test('families follow the table; other matches any type', async (t) => {
  const isWanted = (a: WorkoutType, b: WorkoutType) =>
    a === b || [a, b].includes('other') || families.some((one) => one.includes(a) && one.includes(b));
  const wrong = workoutTypes.flatMap((a) =>
    workoutTypes.filter((b) => sameFamily(a, b) !== isWanted(a, b)).map((b) => `${a} ${b}`),
  );
  t.equal(workoutTypes.length, 12);
  t.same(wrong, []);
});
