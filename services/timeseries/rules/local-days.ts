import type { StoreItem } from '../../../domain/records/records.ts';
import { dateToMs, dayMs, hourMs, minuteMs, type Range } from '../../../domain/time/time.ts';

/*
 * A local day is the span of the provider's daily record: 23 or 25 hours on a day of a clock change. Without a record,
 * each sample is dated by its offset. An item has only the offset of its start, so the last hour of a day of a clock
 * change would be dated wrongly by the offset alone. A sample is stored with the offset that puts it on its local day.
 */

/** The columns of a daily record that determine its local day. */
export interface DaySpan extends Range {
  readonly date: string;
}

/** Local days of one provider and user. */
export interface LocalDays {
  /** The spans of daily records, ascending and disjoint. */
  readonly spans: readonly DaySpan[];
  /**
   * The offset in minutes that puts an instant on its local day: the given one, or the nearest one that differs by
   * whole hours.
   */
  offsetOn(ms: number, offsetMinutes: number): number;
}

const farthestMinutes = 18 * 60;
/** The longest calendar day: a journey over the date line from UTC+14 to UTC-12. */
const longestMs = 50 * hourMs;

/** Local days from daily records. */
export function localDays(records: readonly DaySpan[]): LocalDays {
  const spans = disjoint(records);
  let index = 0;
  function spanAt(ms: number): DaySpan | undefined {
    const span = spans[index];
    if (span === undefined || ms < span.startMs || ms >= span.endMs)
      index = spans.findIndex(({ startMs, endMs }) => ms >= startMs && ms < endMs);
    return spans[index];
  }
  return {
    spans,
    offsetOn(ms, offsetMinutes) {
      const span = spans.length === 0 ? undefined : spanAt(ms);
      return span === undefined ? offsetMinutes : nearestOffset(ms, offsetMinutes, dateToMs(span.date));
    },
  };
}

/** Where records overlap, the one that begins later takes precedence: a record may claim 24 hours for a day of 23. */
function disjoint(records: readonly DaySpan[]): DaySpan[] {
  const days = records
    .filter(({ startMs, endMs }) => endMs - startMs <= longestMs)
    .map(reachable)
    .toSorted((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
  const borders = [...new Set(days.flatMap(({ startMs, endMs }) => [startMs, endMs]))].sort((a, b) => a - b);
  return borders.flatMap((startMs, index) => {
    const day = days.findLast((other) => startMs >= other.startMs && startMs < other.endMs);
    return day === undefined ? [] : [{ date: day.date, startMs, endMs: borders[index + 1] ?? day.endMs }];
  });
}

/** The part of a record's span in which some time zone has its date. */
function reachable({ date, startMs, endMs }: DaySpan): DaySpan {
  const midnightMs = dateToMs(date);
  const first = Math.max(startMs, midnightMs - farthestMinutes * minuteMs);
  const last = Math.min(endMs, midnightMs + dayMs + farthestMinutes * minuteMs);
  return { date, startMs: first, endMs: Math.max(first, last) };
}

/** The offset next to a given one, by whole hours, that puts an instant on a local day. */
export function nearestOffset(ms: number, offsetMinutes: number, midnightMs: number): number {
  const localMs = ms + offsetMinutes * minuteMs;
  if (localMs < midnightMs)
    return Math.min(farthestMinutes, offsetMinutes + 60 * Math.ceil((midnightMs - localMs) / hourMs));
  const lateMs = localMs - (midnightMs + dayMs);
  if (lateMs < 0) return offsetMinutes;
  return Math.max(-farthestMinutes, offsetMinutes - 60 * (Math.floor(lateMs / hourMs) + 1));
}

/** The range that contains all instants. Empty without instants. */
export function boundsOf(instants: Iterable<number>): Range {
  let [startMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const ms of instants) {
    startMs = Math.min(startMs, ms);
    lastMs = Math.max(lastMs, ms);
  }
  return { startMs, endMs: lastMs + 1 };
}

/** The parts of spans that are within ranges. */
export function spansWithin(spans: readonly DaySpan[], ranges: readonly Range[]): DaySpan[] {
  return spans.flatMap(({ date, ...span }) =>
    ranges.flatMap((range) => {
      const startMs = Math.max(span.startMs, range.startMs);
      const endMs = Math.min(span.endMs, range.endMs);
      return startMs < endMs ? [{ date, startMs, endMs }] : [];
    }),
  );
}

/** The clock that an item reports for those of its parts without one: the latest. Null if it reports none. */
export function ownClock(item: StoreItem): number | null {
  let latest: { start_ms: number; offset: number } | null = null;
  for (const { start_ms, zone_offset_minutes: offset } of [...clockedParts(item), ...item.scores])
    if (offset !== null && start_ms >= (latest?.start_ms ?? Number.NEGATIVE_INFINITY))
      latest = { start_ms, offset };
  return latest?.offset ?? null;
}

/** The parts of items that are dated by their offset. */
export function datedParts(items: readonly StoreItem[]) {
  const days = items.flatMap(({ day_values, scores }) =>
    day_values === null ? scores : [day_values, ...scores],
  );
  return [...items.flatMap(clockedParts), ...days.filter(({ date }) => date === null)];
}

/** The parts of an item that may state an offset. */
export function clockedParts({ workout, day, sleeps, epoch, other, samples }: StoreItem) {
  const records = [workout, day, epoch, other, ...sleeps].filter((record) => record !== null);
  return [...records, ...samples.map((block) => ({ ...block, start_ms: block.base_ms }))];
}
