import type { Queryable } from '../../../mixins/database/database.ts';
import {
  byFullness,
  type Counted,
  countedWorkouts,
  type DuplicateCandidate,
  listedDuplicates,
} from '../rules/duplicates.ts';
import { type DuplicateChange, selectOverlappingWorkouts, updateDuplicates } from '../tables/workouts.ts';

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
  priority: readonly string[],
): Promise<void> {
  if (spans.length === 0) return;
  const workouts = byFullness(await cluster(transaction, userId, spans), priority);
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
