import { dayMs, hourMs, minuteMs, type Range } from '../../../domain/time.ts';
import { endOf, type RankedInterval, type Segment, segmentsOf, valueWithin } from './segments.ts';

/** What counts of a series in a UTC hour. */
export interface HourFigures {
  readonly series_id: number;
  readonly startMs: number;
  /** The number of intervals that begin in the hour. */
  n: number;
  sum: number;
  /** Bit m: something counts in minute m. */
  mask: bigint;
}

/** What counts of a series on a local day. */
export interface DayFigures {
  readonly series_id: number;
  /** Days since 1970. */
  readonly day: number;
  /** The number of intervals that touch the day. */
  n: number;
  sum: number;
  /** What the source measured, whatever other sources did. */
  own: number;
}

/** The UTC hours that begin in a range of whole hours, of each series that has an interval there. */
export function hourFigures(
  intervals: readonly RankedInterval[],
  segments: readonly Segment<RankedInterval>[],
  { startMs, endMs }: Range,
): HourFigures[] {
  const hours = new Map<string, HourFigures>();
  const hourOf = (series_id: number, ms: number) =>
    entryOf(hours, series_id, ms, () => ({ series_id, startMs: ms, n: 0, sum: 0, mask: 0n }));
  for (const { series_id, start_ms } of intervals)
    if (start_ms >= startMs && start_ms < endMs)
      hourOf(series_id, Math.floor(start_ms / hourMs) * hourMs).n += 1;
  for (const { interval, ...span } of segments) {
    const within = { startMs: Math.max(span.startMs, startMs), endMs: Math.min(span.endMs, endMs) };
    for (const piece of piecesAt(within, hourMs)) {
      const hour = hourOf(interval.series_id, Math.floor(piece.startMs / hourMs) * hourMs);
      hour.sum += valueWithin(interval, piece.startMs, piece.endMs);
      hour.mask |= minutesOf(piece, hour.startMs);
    }
  }
  return [...hours.values()];
}

/** The local days of a set of days since 1970, each instant by the offset of the interval that it belongs to. */
export function dayFigures(
  intervals: readonly RankedInterval[],
  segments: readonly Segment<RankedInterval>[],
  isWanted: (day: number) => boolean,
): DayFigures[] {
  const days = new Map<string, DayFigures>();
  const add = (interval: RankedInterval, span: Range, change: (day: DayFigures, piece: Range) => void) => {
    const { series_id } = interval;
    for (const piece of localPieces(span, interval)) {
      const day = localDay(piece.startMs, interval);
      if (isWanted(day))
        change(
          entryOf(days, series_id, day, () => ({ series_id, day, n: 0, sum: 0, own: 0 })),
          piece,
        );
    }
  };
  const part = (interval: RankedInterval, { startMs, endMs }: Range) => valueWithin(interval, startMs, endMs);
  for (const interval of intervals)
    add(interval, spanOf(interval), (day) => {
      day.n += 1;
    });
  for (const { interval, ...span } of segments)
    add(interval, span, (day, piece) => {
      day.sum += part(interval, piece);
    });
  for (const own of Map.groupBy(intervals, ({ series_id }) => series_id).values())
    for (const { interval, ...span } of segmentsOf(own))
      add(interval, span, (day, piece) => {
        day.own += part(interval, piece);
      });
  return [...days.values()];
}

function entryOf<T>(entries: Map<string, T>, seriesId: number, at: number, make: () => T): T {
  const key = `${seriesId} ${at}`;
  const known = entries.get(key);
  if (known !== undefined) return known;
  const made = make();
  entries.set(key, made);
  return made;
}

function spanOf(interval: RankedInterval): Range {
  return { startMs: interval.start_ms, endMs: endOf(interval) };
}

function localDay(ms: number, { zone_offset_minutes }: RankedInterval): number {
  return Math.floor((ms + zone_offset_minutes * minuteMs) / dayMs);
}

function localPieces(span: Range, { zone_offset_minutes }: RankedInterval): Range[] {
  return piecesAt(span, dayMs, -zone_offset_minutes * minuteMs);
}

/** A range that is cut at multiples of a width after an origin. */
export function piecesAt({ startMs, endMs }: Range, widthMs: number, originMs = 0): Range[] {
  const pieces: Range[] = [];
  for (let from = startMs; from < endMs; ) {
    const to = Math.min(endMs, (Math.floor((from - originMs) / widthMs) + 1) * widthMs + originMs);
    pieces.push({ startMs: from, endMs: to });
    from = to;
  }
  return pieces;
}

/** The minutes of an hour that a part of it touches. */
function minutesOf({ startMs, endMs }: Range, hourStartMs: number): bigint {
  const first = Math.floor((startMs - hourStartMs) / minuteMs);
  const end = Math.ceil((endMs - hourStartMs) / minuteMs);
  return ((1n << BigInt(end - first)) - 1n) << BigInt(first);
}
