import { sameFamily } from '../../../domain/records/workout-types.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { SourceOrder } from '../rules/sources.ts';
import {
  type DuplicateCandidate,
  type DuplicateChange,
  selectOverlappingWorkouts,
  updateDuplicates,
} from '../tables/workouts.ts';

/** Workouts by preference: most fields first, then higher source priority, then the earlier start. */
export function byFullness(
  workouts: readonly DuplicateCandidate[],
  priority: readonly string[],
): DuplicateCandidate[] {
  const rank = ({ provider }: DuplicateCandidate) => {
    const rank = priority.indexOf(provider);
    return rank === -1 ? priority.length : rank;
  };
  return workouts.toSorted(
    (a, b) => b.filled - a.filled || rank(a) - rank(b) || a.start_ms - b.start_ms || (a.id < b.id ? -1 : 1),
  );
}

/**
 * The listed duplicate of each workout, null if the workout itself is listed. A duplicate of a preferred, listed
 * workout is not listed: of a ride that one source has whole and another one in two parts, either the whole or both
 * parts are listed. `workouts` are ordered by preference.
 */
export function listedDuplicates(workouts: readonly DuplicateCandidate[]): Map<string, string | null> {
  const listed: DuplicateCandidate[] = [];
  const duplicates = new Map<string, string | null>();
  for (const workout of workouts) {
    const duplicate = listed.find((preferred) => isSameWorkout(preferred, workout));
    duplicates.set(workout.id, duplicate?.id ?? null);
    if (duplicate === undefined) listed.push(workout);
  }
  return duplicates;
}

function isSameWorkout(a: DuplicateCandidate, b: DuplicateCandidate): boolean {
  const isOtherSource = a.provider !== b.provider || a.device !== b.device;
  return isOtherSource && sameFamily(a.type, b.type) && areAtOnce(a, b);
}

/** Whether two workouts overlap by at least half of the shorter one. */
function areAtOnce(a: DuplicateCandidate, b: DuplicateCandidate): boolean {
  const overlap = Math.min(a.end_ms, b.end_ms) - Math.max(a.start_ms, b.start_ms);
  const shorter = Math.min(a.end_ms - a.start_ms, b.end_ms - b.start_ms);
  return overlap > 0 && overlap * 2 >= shorter;
}

/** How a workout counts in the sums of a day. */
interface Counted {
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
function countedWorkouts(
  workouts: readonly DuplicateCandidate[],
  listed: ReadonlyMap<string, string | null>,
): Map<string, Counted> {
  const leaders = leadersOf(workouts);
  const byId = new Map(workouts.map((workout) => [workout.id, workout]));
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
  const recordings = [first];
  for (const recording of recordings)
    recordings.push(
      ...workouts.filter((other) => !recordings.includes(other) && isOtherRecording(recording, other)),
    );
  return recordings;
}

function isOtherRecording(a: DuplicateCandidate, b: DuplicateCandidate): boolean {
  return a.provider === b.provider && a.device !== b.device && areAtOnce(a, b);
}

/** A span in which workouts were written, changed or deleted. */
export interface Span {
  readonly start_ms: number;
  readonly end_ms: number;
}

// Each round adds the neighbours of the last one. Longer chains of overlapping workouts do not occur in real data.
const mostRounds = 8;

/**
 * Recomputes which workouts are listed and how they count, for all workouts that overlap the spans directly or through
 * others.
 */
export async function settleDuplicates(
  transaction: Queryable,
  userId: string,
  spans: readonly Span[],
  order: SourceOrder,
): Promise<void> {
  if (spans.length === 0) return;
  const workouts = byFullness(await cluster(transaction, userId, spans), order.providers);
  const listed = listedDuplicates(workouts);
  const counted = countedWorkouts(workouts, listed);
  const alone: Counted = { counted_with: null, counted_on: null };
  const changes = workouts.flatMap((workout) => {
    const { id } = workout;
    const change = { id, duplicate_of: listed.get(id) ?? null, ...(counted.get(id) ?? alone) };
    return isSame(workout, change) ? [] : [change];
  });
  await updateDuplicates(transaction, userId, changes);
}

function isSame(workout: DuplicateCandidate, change: DuplicateChange): boolean {
  return (
    workout.duplicate_of === change.duplicate_of &&
    workout.counted_with === change.counted_with &&
    workout.counted_on === change.counted_on
  );
}

async function cluster(transaction: Queryable, userId: string, spans: readonly Span[]) {
  let overlapping: DuplicateCandidate[] = await selectOverlappingWorkouts(transaction, userId, spans);
  for (let round = 1; round < mostRounds && hasSeveralSources(overlapping); round += 1) {
    const wider = await selectOverlappingWorkouts(transaction, userId, [...spans, ...overlapping]);
    if (wider.length === overlapping.length) return wider;
    overlapping = wider;
  }
  return overlapping;
}

function hasSeveralSources(workouts: readonly DuplicateCandidate[]): boolean {
  return new Set(workouts.map(({ provider, device }) => JSON.stringify([provider, device]))).size > 1;
}
