import { areAtOnce, type DuplicateCandidate } from './duplicates.ts';

/** How a workout counts in the sums of a day. */
export interface Counted {
  /**
   * Names the workout that several devices of a provider recorded, by the id of the preferred recording: the sums of
   * each device are compared, and the largest counts. Null where one device recorded it.
   */
  readonly counted_with: string | null;
  /** The local day, where another recording decides it. */
  readonly counted_on: string | null;
}

/**
 * How workouts count, by id. Those that are the same as another, of whatever source, count on the local day of the one
 * that is listed. `workouts` are in the order of preference, `listed` names the listed duplicate of each.
 */
export function countedWorkouts(
  workouts: readonly DuplicateCandidate[],
  listed: ReadonlyMap<string, string | null>,
): Map<string, Counted> {
  const leaders = leadersOf(workouts);
  const byId = new Map(workouts.map((one) => [one.id, one]));
  // Each step leads to a workout that is preferred, so there is an end.
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

/** The preferred recording of each workout that several devices of one provider recorded, by the id of each. */
function leadersOf(workouts: readonly DuplicateCandidate[]): Map<string, string> {
  const leaders = new Map<string, string>();
  for (const leader of workouts) {
    if (leaders.has(leader.id)) continue;
    const recordings = recordingsOf(leader, workouts);
    if (recordings.length > 1) for (const { id } of recordings) leaders.set(id, leader.id);
  }
  return leaders;
}

// Directly or through others: of a ride that one device has whole and the other in two parts all three are recordings.
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
