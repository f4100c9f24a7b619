import type { Queryable } from '../../mixins/database.ts';
import { selectOverlappingWorkouts } from './queries/select-overlapping-workouts.ts';
import { updateDuplicates } from './queries/update-duplicates.ts';
import { listedTwins, type TwinCandidate } from './twins.ts';

/** A stretch of time in which workouts were written, changed or taken away. */
export interface Span {
  readonly start_ms: number;
  readonly end_ms: number;
}

// Each round reaches the neighbours of the last one's; chains longer than this are no person's day.
const mostRounds = 8;

/** Sets `duplicate_of` anew for all workouts that touch the spans, directly or through others. */
export async function settleTwins(
  transaction: Queryable,
  userId: string,
  spans: readonly Span[],
  priority: readonly string[],
): Promise<void> {
  if (spans.length === 0) return;
  const workouts = await cluster(transaction, userId, spans);
  const twins = listedTwins(workouts, priority);
  const changes = workouts.flatMap(({ id, duplicate_of }) => {
    const twin = twins.get(id) ?? null;
    return twin === duplicate_of ? [] : [{ id, duplicate_of: twin }];
  });
  await updateDuplicates(transaction, userId, changes);
}

async function cluster(transaction: Queryable, userId: string, spans: readonly Span[]) {
  let found: TwinCandidate[] = await selectOverlappingWorkouts(transaction, userId, spans);
  for (let round = 1; round < mostRounds && hasSeveralProviders(found); round += 1) {
    const wider = await selectOverlappingWorkouts(transaction, userId, [...spans, ...found]);
    if (wider.length === found.length) return wider;
    found = wider;
  }
  return found;
}

function hasSeveralProviders(workouts: readonly TwinCandidate[]): boolean {
  return new Set(workouts.map(({ provider }) => provider)).size > 1;
}
