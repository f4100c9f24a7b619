import { areAtOnce, type DuplicateCandidate } from './duplicates.ts';

/** How a workout counts in the sums of a day. */
export interface Counted {
  /**
   * Id of the preferred recording of a workout that several devices of a provider recorded. The sums per device are
   * compared, and the largest counts. Null if one device recorded it.
   */
  readonly counted_with: string | null;
  /** The local day, if another recording determines it. */
  readonly counted_on: string | null;
}

/**
 * How workouts count, by id. Duplicates of any source count on the local day of the listed one. `workouts` are ordered
 * by preference, `listed` maps each to its listed duplicate.
 */
export function countedWorkouts(
  workouts: readonly DuplicateCandidate[],
  listed: ReadonlyMap<string, string | null>,
): Map<string, Counted> {
  const leaders = leadersOf(workouts);
  const byId = new Map(workouts.map((one) => [one.id, one]));
  // Each step leads to a preferred workout, so the recursion ends.
  const decisive = (id: string): string => {
    const leader = leaders.get(id) ?? id;
    const next = listed.get(leader) ?? leader;
    return next === id ? id : decisive(next);
  };
  return new Map(
    workouts.map(({ id }) => {
      const counted_with = leaders.get(id) ?? null;
      const isAlone = counted_with === null && (listed.get(id) ?? null) === null;
      return [
        id,
        { counted_with, counted_on: isAlone ? null : (byId.get(decisive(id))?.local_date ?? null) },
      ];
    }),
  );
}

/** Maps each workout that several devices of one provider recorded to its preferred recording. */
function leadersOf(workouts: readonly DuplicateCandidate[]): Map<string, string> {
  const leaders = new Map<string, string>();
  for (const leader of workouts) {
    if (leaders.has(leader.id)) continue;
    const recordings = recordingsOf(leader, workouts);
    if (recordings.length > 1) for (const { id } of recordings) leaders.set(id, leader.id);
  }
  return leaders;
}

// Includes indirect overlaps: if one device has a ride whole and another one in two parts, all three are recordings of
// it.
function recordingsOf(
  first: DuplicateCandidate,
  workouts: readonly DuplicateCandidate[],
): DuplicateCandidate[] {
  const found = [first];
  for (const one of found)
    found.push(...workouts.filter((other) => !found.includes(other) && isOtherRecording(one, other)));
  return found;
}

function isOtherRecording(a: DuplicateCandidate, b: DuplicateCandidate): boolean {
  return a.provider === b.provider && a.device !== b.device && areAtOnce(a, b);
}
