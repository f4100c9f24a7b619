import { sameFamily } from '../../../domain/records/workout-types.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { isAggregator } from '../../../providers/all.ts';
import type { SourceOrder } from '../rules/sources.ts';
import {
  type DuplicateCandidate,
  type DuplicateChange,
  selectOverlappingWorkouts,
  updateDuplicates,
} from '../tables/workouts.ts';

/**
 * Workouts by preference: those of aggregators last, because they repeat what others have; then most fields first, higher source
 * priority, the earlier start, the later end, the shorter key. An id of a provider is shorter than the hash that is the key of a file without one: the archive has the name that the user gave.
 */
export function byFullness(
  workouts: readonly DuplicateCandidate[],
  priority: readonly string[],
): DuplicateCandidate[] {
  const rank = ({ provider }: DuplicateCandidate) => {
    const rank = priority.indexOf(provider);
    return rank === -1 ? priority.length : rank;
  };
  return workouts.toSorted(
    (a, b) =>
      Number(isAggregator(a.provider)) - Number(isAggregator(b.provider)) ||
      b.filled - a.filled ||
      rank(a) - rank(b) ||
      a.start_ms - b.start_ms ||
      b.end_ms - a.end_ms ||
      a.key.length - b.key.length ||
      (a.key + a.provider < b.key + b.provider ? -1 : 1),
  );
}

/**
 * The listed duplicate of each workout, null if the workout itself is listed. A duplicate of a preferred, listed
 * workout is not listed: of a ride that one source has whole and another one in two parts, either the whole or both
 * parts are listed. `workouts` are ordered by preference.
 */
export function listedDuplicates(
  workouts: readonly DuplicateCandidate[],
  isDuplicate = isSameWorkout,
): Map<string, string | null> {
  const listed: DuplicateCandidate[] = [];
  const duplicates = new Map<string, string | null>();
  for (const workout of workouts) {
    const duplicate = listed.find((preferred) => isDuplicate(preferred, workout));
    duplicates.set(workout.id, duplicate?.id ?? null);
    if (duplicate === undefined) listed.push(workout);
  }
  return duplicates;
}

function isSameWorkout(a: DuplicateCandidate, b: DuplicateCandidate): boolean {
  return (
    (!isSameSource(a, b) || areOneRecording(a, b)) &&
    (a.key === b.key || sameFamily(a.type, b.type)) &&
    areAtOnce(a, b)
  );
}

function isSameSource(a: DuplicateCandidate, b: DuplicateCandidate): boolean {
  return a.provider === b.provider && a.device === b.device;
}

// A device begins one recording at a time, so that two are the same one under two keys. Those that a user typed in are two.
function areOneRecording(a: DuplicateCandidate, b: DuplicateCandidate): boolean {
  return Math.abs(a.start_ms - b.start_ms) < 1000 && a.manual !== true && b.manual !== true;
}

function isCopy(a: DuplicateCandidate, b: DuplicateCandidate): boolean {
  return isSameSource(a, b) && isSameWorkout(a, b);
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
   * compared, and the largest counts. Of a copy: the id of the workout that counts in its place. Otherwise null.
   */
  readonly counted_with: string | null;
  /** The local day, if another recording determines it. A copy has none and is in no sum. */
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
  const copies = listedDuplicates(workouts, isCopy);
  const leaders = leadersOf(workouts.filter(({ id }) => copies.get(id) === null));
  const byId = new Map(workouts.map((workout) => [workout.id, workout]));
  // Each step leads to a preferred workout, so the recursion ends.
  const decisive = (id: string): string => {
    const leader = leaders.get(id) ?? id;
    const next = listed.get(leader) ?? leader;
    return next === id ? id : decisive(next);
  };
  return new Map(
    workouts.map(({ id }) => {
      const copied = copies.get(id) ?? null;
      if (copied !== null) return [id, { counted_with: copied, counted_on: null }];
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
  let overlapping = await selectOverlappingWorkouts(transaction, userId, spans);
  for (let round = 1; round < mostRounds && !areWithin(overlapping, spans); round += 1) {
    const wider = await selectOverlappingWorkouts(transaction, userId, [...spans, ...overlapping]);
    if (wider.length === overlapping.length) return wider;
    overlapping = wider;
  }
  return overlapping;
}

// What lies within the spans overlaps nothing that they do not.
function areWithin(workouts: readonly Span[], spans: readonly Span[]): boolean {
  return workouts.every(({ start_ms, end_ms }) =>
    spans.some((span) => span.start_ms <= start_ms && span.end_ms >= end_ms),
  );
}
