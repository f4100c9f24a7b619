import {
  type IntervalRecord,
  type IntervalSource,
  longestIntervalMs,
} from '../../../domain/records/interval-records.ts';
import { accepts } from '../../../domain/records/series.ts';
import { dayMs, earliestMs, hourMs } from '../../../domain/time/time.ts';

/** The bounds of the instants that are stored. */
export interface StorableBounds {
  readonly nowMs: number;
  /** The first local day whose data is kept. Null keeps all. */
  readonly firstDay: string | null;
}

/** Whether an interval has a known source, a value within the range of its type and a possible span. */
export function isStorable(
  { type, source, start_ms, end_ms, value }: IntervalRecord,
  sources: readonly IntervalSource[],
  { nowMs, firstDay }: StorableBounds,
): boolean {
  if (sources[source] === undefined || !accepts(type, value)) return false;
  if (end_ms < start_ms || end_ms - start_ms > longestIntervalMs) return false;
  // No clock is more than 18 hours behind UTC.
  const firstMs = firstDay === null ? earliestMs : Date.parse(firstDay) - 18 * hourMs;
  return start_ms >= Math.max(earliestMs, firstMs) && end_ms <= nowMs + dayMs;
}
