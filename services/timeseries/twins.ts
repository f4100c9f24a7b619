import { sameFamily, type WorkoutType } from '../../domain/workout-types.ts';

/** A workout among those that may be the same one, told by another provider. */
export interface TwinCandidate {
  readonly id: string;
  readonly provider: string;
  readonly type: WorkoutType;
  readonly start_ms: number;
  readonly end_ms: number;
  /** How many of the fields that a provider may leave out are there. */
  readonly filled: number;
  readonly duplicate_of: string | null;
}

/**
 * The listed twin of each workout, null where it is listed itself. The fullest goes first (then the source of
 * higher priority, then the earlier), and whatever is the same as a listed one is not listed: of a ride that one
 * provider has whole and the other in two parts, either the whole or both parts stand.
 */
export function listedTwins(
  workouts: readonly TwinCandidate[],
  priority: readonly string[],
): Map<string, string | null> {
  const rank = ({ provider }: TwinCandidate) => {
    const place = priority.indexOf(provider);
    return place === -1 ? priority.length : place;
  };
  const order = workouts.toSorted(
    (a, b) => b.filled - a.filled || rank(a) - rank(b) || a.start_ms - b.start_ms || (a.id < b.id ? -1 : 1),
  );
  const listed: TwinCandidate[] = [];
  const twins = new Map<string, string | null>();
  for (const workout of order) {
    const twin = listed.find((one) => sameWorkout(one, workout));
    twins.set(workout.id, twin?.id ?? null);
    if (twin === undefined) listed.push(workout);
  }
  return twins;
}

function sameWorkout(a: TwinCandidate, b: TwinCandidate): boolean {
  if (a.provider === b.provider || !sameFamily(a.type, b.type)) return false;
  const overlap = Math.min(a.end_ms, b.end_ms) - Math.max(a.start_ms, b.start_ms);
  const shorter = Math.min(a.end_ms - a.start_ms, b.end_ms - b.start_ms);
  return overlap > 0 && overlap * 2 >= shorter;
}
