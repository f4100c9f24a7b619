import { dateToMs, dayMs, hourMs, minuteMs, type Range } from '../../../domain/time.ts';

/*
 * A local day is the span that the provider's own daily record covers: 23 or 25 hours where the clock is changed. Without
 * a record it is cut by the offset of each sample. An item tells the offset of its start only, so the offset alone dates
 * the last hour of such a day wrongly. A sample is stored with the offset that puts it on its local day.
 */

/** A daily record of a provider, as far as it decides what belongs to its day. */
export interface DaySpan extends Range {
  readonly date: string;
}

/** Local days of one provider and user. */
export interface LocalDays {
  /** The spans of daily records, ascending and disjoint. */
  readonly spans: readonly DaySpan[];
  /** The offset, in minutes, that puts an instant on its local day: the given one, or the nearest by whole hours. */
  offsetOn(ms: number, offsetMinutes: number): number;
}

const farthestMinutes = 18 * 60;
/** No calendar day lasts longer: a journey over the date line from UTC+14 to UTC-12. */
const longestMs = 50 * hourMs;

/** Local days by daily records. */
export function localDays(records: readonly DaySpan[]): LocalDays {
  const spans = disjoint(records);
  let place = 0;
  function spanAt(ms: number): DaySpan | undefined {
    const known = spans[place];
    if (known === undefined || ms < known.startMs || ms >= known.endMs)
      place = spans.findIndex(({ startMs, endMs }) => ms >= startMs && ms < endMs);
    return spans[place];
  }
  return {
    spans,
    offsetOn(ms, offsetMinutes) {
      const span = spans.length === 0 ? undefined : spanAt(ms);
      return span === undefined ? offsetMinutes : nearestOffset(ms, offsetMinutes, dateToMs(span.date));
    },
  };
}

/** Where records overlap, the one that begins later counts: a record may claim 24 hours of a day of 23. */
function disjoint(records: readonly DaySpan[]): DaySpan[] {
  const days = records
    .filter(({ startMs, endMs }) => endMs - startMs <= longestMs)
    .map(reachable)
    .toSorted((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
  const borders = [...new Set(days.flatMap(({ startMs, endMs }) => [startMs, endMs]))].sort((a, b) => a - b);
  return borders.flatMap((startMs, index) => {
    const day = days.findLast((one) => startMs >= one.startMs && startMs < one.endMs);
    return day === undefined ? [] : [{ date: day.date, startMs, endMs: borders[index + 1] ?? day.endMs }];
  });
}

/** The part of a record's span in which some clock shows its date. */
function reachable({ date, startMs, endMs }: DaySpan): DaySpan {
  const midnightMs = dateToMs(date);
  const first = Math.max(startMs, midnightMs - farthestMinutes * minuteMs);
  const last = Math.min(endMs, midnightMs + dayMs + farthestMinutes * minuteMs);
  return { date, startMs: first, endMs: Math.max(first, last) };
}

function nearestOffset(ms: number, offsetMinutes: number, midnightMs: number): number {
  const localMs = ms + offsetMinutes * minuteMs;
  if (localMs < midnightMs)
    return Math.min(farthestMinutes, offsetMinutes + 60 * Math.ceil((midnightMs - localMs) / hourMs));
  const lateMs = localMs - (midnightMs + dayMs);
  if (lateMs < 0) return offsetMinutes;
  return Math.max(-farthestMinutes, offsetMinutes - 60 * (Math.floor(lateMs / hourMs) + 1));
}

/** The range of instants; an empty one where there are none. */
export function boundsOf(instants: Iterable<number>): Range {
  let [startMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const ms of instants) {
    startMs = Math.min(startMs, ms);
    lastMs = Math.max(lastMs, ms);
  }
  return { startMs, endMs: lastMs + 1 };
}

/** The parts of spans that lie within ranges. */
export function spansWithin(spans: readonly DaySpan[], ranges: readonly Range[]): DaySpan[] {
  return spans.flatMap(({ date, ...span }) =>
    ranges.flatMap((range) => {
      const startMs = Math.max(span.startMs, range.startMs);
      const endMs = Math.min(span.endMs, range.endMs);
      return startMs < endMs ? [{ date, startMs, endMs }] : [];
    }),
  );
}
