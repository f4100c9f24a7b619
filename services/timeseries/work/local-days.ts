import { dateToMs, dayMs, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type LocalDays, spansWithin } from '../rules/local-days.ts';
import type { SourceOrder, UserProvider } from '../rules/sources.ts';
import { selectIntervalSet } from '../tables/interval-series.ts';
import { selectMisdatedIntervals } from '../tables/interval-values.ts';
import { selectMisdatedSamples, updateEpochDates, updateWorkoutDates } from '../tables/local-days.ts';
import { type StoredSample, writeStoredSamples } from '../tables/samples.ts';
import type { Span } from './duplicates.ts';
import { settleDays } from './settle-intervals.ts';
import { moveIntervals } from './write-intervals.ts';

/**
 * Puts stored data on its local day: data within instants that daily records newly cover, and the written workouts.
 * Returns the spans of workouts whose day changed.
 */
export async function settleLocalDays(
  transaction: Queryable,
  whose: UserProvider,
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

interface Redating {
  readonly transaction: Queryable;
  readonly user_id: string;
  readonly provider: string;
  readonly order: SourceOrder;
}

/** Daily records of a provider that a call stored: their dates, and the instants that they newly cover. */
interface StoredDays {
  readonly dates: readonly string[];
  readonly covered: readonly Range[];
  readonly localDays: LocalDays;
}

/**
 * Daily records date the intervals of their provider, and their totals take the place of its intervals: both are settled
 * after records were stored.
 */
export async function settleIntervalsOnDays(context: Redating, stored: StoredDays): Promise<void> {
  if (stored.dates.length === 0) return;
  const { transaction, user_id, provider, order } = context;
  const setId = await selectIntervalSet(transaction, user_id, provider);
  if (setId === undefined) return;
  await redateIntervals(context, stored);
  const days = [...new Set(stored.dates)].map((date) => dateToMs(date) / dayMs);
  await settleDays(transaction, { user_id, order }, days);
}

async function redateIntervals(
  { transaction, ...redating }: Redating,
  { covered, localDays }: StoredDays,
): Promise<void> {
  const newSpans = spansWithin(localDays.spans, covered);
  if (newSpans.length === 0) return;
  const rows = await selectMisdatedIntervals(transaction, redating, newSpans);
  const moved = rows.map((former) => ({
    former,
    row: {
      ...former,
      zone_offset_minutes: localDays.offsetOn(former.start_ms, former.zone_offset_minutes),
    },
  }));
  await moveIntervals(transaction, redating, moved);
}
