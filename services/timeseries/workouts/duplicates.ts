import { sameFamily, type WorkoutType } from '../../../domain/workout-types.ts';

/** A workout among those that may be the same one, recorded by another provider or device. */
export interface DuplicateCandidate {
  readonly id: string;
  readonly provider: string;
  readonly device: string;
  readonly type: WorkoutType;
  readonly local_date: string;
  readonly start_ms: number;
  readonly end_ms: number;
  /** How many of the fields that a provider may leave out are there. */
  readonly filled: number;
  readonly duplicate_of: string | null;
  readonly counted_with: string | null;
  readonly counted_on: string | null;
}

/** Workouts by preference: the fullest first, then the source of higher priority, then the earlier. */
export function byFullness(
  workouts: readonly DuplicateCandidate[],
  priority: readonly string[],
): DuplicateCandidate[] {
  const rank = ({ provider }: DuplicateCandidate) => {
    const place = priority.indexOf(provider);
    return place === -1 ? priority.length : place;
  };
  return workouts.toSorted(
    (a, b) => b.filled - a.filled || rank(a) - rank(b) || a.start_ms - b.start_ms || (a.id < b.id ? -1 : 1),
  );
}

/**
 * The listed duplicate of each workout, null where it is listed itself. Whatever is the same as one that is preferred and
 * listed is not listed: of a ride that one source has whole and the other in two parts, either the whole or both parts
 * stand. `workouts` are in the order of preference.
 */
export function listedDuplicates(workouts: readonly DuplicateCandidate[]): Map<string, string | null> {
  const listed: DuplicateCandidate[] = [];
  const duplicates = new Map<string, string | null>();
  for (const workout of workouts) {
    const duplicate = listed.find((one) => sameWorkout(one, workout));
    duplicates.set(workout.id, duplicate?.id ?? null);
    if (duplicate === undefined) listed.push(workout);
  }
  return duplicates;
}

function sameWorkout(a: DuplicateCandidate, b: DuplicateCandidate): boolean {
  const isOtherSource = a.provider !== b.provider || a.device !== b.device;
  return isOtherSource && sameFamily(a.type, b.type) && areAtOnce(a, b);
}

/** Whether two workouts overlap by at least half of the shorter one. */
export function areAtOnce(a: DuplicateCandidate, b: DuplicateCandidate): boolean {
  const overlap = Math.min(a.end_ms, b.end_ms) - Math.max(a.start_ms, b.start_ms);
  const shorter = Math.min(a.end_ms - a.start_ms, b.end_ms - b.start_ms);
  return overlap > 0 && overlap * 2 >= shorter;
}
