import type { Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type LocalDays, spansWithin } from '../rules/local-days.ts';
import {
  selectMisdatedSamples,
  updateEpochDates,
  updateWorkoutDates,
  type Whose,
} from '../tables/local-days.ts';
import { type StoredSample, writeStoredSamples } from '../tables/samples.ts';
import type { Span } from './duplicates.ts';

/**
 * Puts stored data on its local day: data within instants that daily records newly cover, and the written workouts.
 * Returns the spans of workouts whose day changed.
 */
export async function settleLocalDays(
  transaction: Queryable,
  whose: Whose,
  days: LocalDays,
  { covered, workouts }: { readonly covered: readonly Range[]; readonly workouts: readonly Span[] },
): Promise<Span[]> {
  const newSpans = spansWithin(days.spans, covered);
  if (newSpans.length > 0) {
    await updateEpochDates(transaction, whose, newSpans);
    const samples = await selectMisdatedSamples(transaction, whose, newSpans);
    await writeStoredSamples(
      transaction,
      samples.map((sample) => onLocalDay(sample, days)),
    );
  }
  const starts = workouts.map(({ start_ms }) => ({ startMs: start_ms, endMs: start_ms + 1 }));
  const written = [...newSpans, ...spansWithin(days.spans, starts)];
  return written.length === 0 ? [] : updateWorkoutDates(transaction, whose, written);
}

/** A sample with the offset that puts it on its local day. */
export function onLocalDay(sample: StoredSample, { offsetOn }: LocalDays): StoredSample {
  return { ...sample, zone_offset_minutes: offsetOn(sample.ms, sample.zone_offset_minutes) };
}
