import { dayMs, minuteMs, type Range } from './time.ts';
import { offsetMinutesIn } from './zone.ts';

/*
 * Data without an offset takes the clock that the user most probably had at that time, whatever arrives first. The sources
 * are tried in this order. The newest known clock is none of them: past data of a traveller would get the clock of today.
 */

/** What data without an offset takes its clock from, the best first. The numbers are stored. */
export const clockSources = {
  /** The record that it names. */
  named: 1,
  /** The nearest record of its provider that states an offset. */
  record: 2,
  /** The time zone of the user. */
  zone: 3,
  /** The nearest clock that any data of the user states. */
  nearest: 4,
  /** UTC, because no clock is known. */
  none: 5,
} as const;

/** An offset that data states, in minutes, and the span of that data. */
export interface KnownClock extends Range {
  readonly offset: number;
}

/** The known clocks around data without an offset. */
export interface KnownClocks {
  /** The records of its provider. */
  readonly records: readonly KnownClock[];
  /** What any data of the user states. Read only without a time zone. */
  readonly others: readonly KnownClock[];
  readonly timeZone: string | null;
}

/** An offset in minutes, and what it was taken from. */
export interface FoundClock {
  readonly offset: number;
  readonly source: number;
}

/** A record further away says nothing about the user's clock. */
export const nearMs = dayMs;
/** No clock is further from UTC. */
export const farthestOffsetMs = 18 * 60 * minuteMs;

/** The clock of an instant in UTC, or of a time that a clock without a known offset shows (`isLocal`). */
export function clockFor(
  { records, others, timeZone }: KnownClocks,
  ms: number,
  isLocal: boolean,
): FoundClock {
  const record = nearestClock(records, ms, isLocal, nearMs);
  if (record !== undefined) return { offset: record.offset, source: clockSources.record };
  const inZone = timeZone === null ? null : offsetIn(timeZone, ms, isLocal);
  if (inZone !== null) return { offset: inZone, source: clockSources.zone };
  const other = nearestClock(others, ms, isLocal, Number.POSITIVE_INFINITY);
  return other === undefined
    ? { offset: 0, source: clockSources.none }
    : { offset: other.offset, source: clockSources.nearest };
}

// A local time is compared with what the clock of each record showed.
function nearestClock(
  clocks: readonly KnownClock[],
  ms: number,
  isLocal: boolean,
  withinMs: number,
): KnownClock | undefined {
  let best: KnownClock | undefined;
  let bestMs = withinMs;
  for (const clock of clocks) {
    const at = isLocal ? ms - clock.offset * minuteMs : ms;
    const distanceMs = Math.max(clock.startMs - at, at - clock.endMs, 0);
    if (distanceMs > bestMs || (distanceMs === bestMs && best !== undefined && isBefore(best, clock)))
      continue;
    [best, bestMs] = [clock, distanceMs];
  }
  return best;
}

// Of several at one distance the shortest counts: a night or an exercise before the day around it. The rest makes the
// choice independent of the order.
function isBefore(a: KnownClock, b: KnownClock): boolean {
  const lengths = a.endMs - a.startMs - (b.endMs - b.startMs);
  return (lengths || a.startMs - b.startMs || a.offset - b.offset) <= 0;
}

/** The offset of a zone in minutes at an instant, or at a time of its clock; null for an unknown zone. */
export function offsetIn(timeZone: string, ms: number, isLocal: boolean): number | null {
  const offset = offsetMinutesIn(timeZone, ms);
  return offset === null || !isLocal ? offset : offsetMinutesIn(timeZone, ms - offset * minuteMs);
}
