import {
  type IntervalRecord,
  type IntervalSource,
  longestIntervalMs,
} from '../../../domain/records/interval-records.ts';
import { accepts } from '../../../domain/records/series.ts';
import { dayMs, earliestMs, hourMs } from '../../../domain/time/time.ts';
import type { KeptDays } from '../removal/kept-days.ts';

/** The bounds of the instants that are stored. */
export interface StorableBounds {
  readonly nowMs: number;
  readonly kept: KeptDays;
}

/** Whether an interval has a known source, a value within the range of its type and a possible span. */
export function isStorable(
  { type, source, start_ms, end_ms, value }: IntervalRecord,
  sources: readonly IntervalSource[],
  { nowMs, kept }: StorableBounds,
): boolean {
  if (sources[source] === undefined || !accepts(type, value)) return false;
  if (end_ms < start_ms || end_ms - start_ms > longestIntervalMs) return false;
  // No clock is more than 18 hours behind UTC.
  const firstMs = kept.samples === null ? earliestMs : Date.parse(kept.samples) - 18 * hourMs;
  return start_ms >= Math.max(earliestMs, firstMs) && end_ms <= nowMs + dayMs;
}
