import { dayMs, hourMs, minuteMs, type Range } from '../../../domain/time/time.ts';
import { endOf, nanosWithin, type RankedInterval, type Segment, segmentsOf } from './segments.ts';

/** What counts of a series in a UTC hour, or how that changes. */
export interface HourFigures {
  readonly series_id: number;
  readonly startMs: number;
  /** The number of intervals that begin in the hour. */
  n: number;
  /** The sum, in billionths. */
  nanos: number;
  /** Bit m: something counts in minute m. */
  early: number;
  /** Bit m: something counts in minute 30 + m. */
  late: number;
}

/** What counts of a series on a local day, or how that changes. */
export interface DayFigures {
  readonly series_id: number;
  /** Days since 1970. */
  readonly day: number;
  /** The number of intervals that touch the day. */
  n: number;
  /** The sum, in billionths. */
  nanos: number;
  /** What the source measured, whatever other sources did, in billionths. */
  ownNanos: number;
}

/** Figures of series at places: hours or days. */
class FigureTable<T> {
  readonly #series = new Map<number, Map<number, T>>();
  readonly #make: (seriesId: number, place: number) => T;

  constructor(make: (seriesId: number, place: number) => T) {
    this.#make = make;
  }

  at(seriesId: number, place: number): T {
    let places = this.#series.get(seriesId);
    if (places === undefined) {
      places = new Map();
      this.#series.set(seriesId, places);
    }
    let figures = places.get(place);
    if (figures === undefined) {
      figures = this.#make(seriesId, place);
      places.set(place, figures);
    }
    return figures;
  }

  has(seriesId: number, place: number): boolean {
    return this.#series.get(seriesId)?.has(place) ?? false;
  }

  rows(): T[] {
    return [...this.#series.values()].flatMap((places) => [...places.values()]);
  }
}

/** The changes of hours. */
export type HourTable = FigureTable<HourFigures>;
/** The changes of days. */
export type DayTable = FigureTable<DayFigures>;

/** A table without a change of an hour. */
export function hourTable(): HourTable {
  return new FigureTable((series_id, startMs) => ({ series_id, startMs, n: 0, nanos: 0, early: 0, late: 0 }));
}

/** A table without a change of a day. */
export function dayTable(): DayTable {
  return new FigureTable((series_id, day) => ({ series_id, day, n: 0, nanos: 0, ownNanos: 0 }));
}

/** Whether figures are added or taken away. */
export type Sign = 1 | -1;

/** Adds intervals and their segments to the UTC hours of a range. Minutes are only marked, never cleared. */
export function addHours(
  hours: HourTable,
  intervals: readonly RankedInterval[],
  segments: readonly Segment<RankedInterval>[],
  range: Range,
  sign: Sign = 1,
): void {
  for (const { series_id, start_ms } of intervals)
    if (start_ms >= range.startMs && start_ms < range.endMs) hours.at(series_id, hourOf(start_ms)).n += sign;
  for (const { interval, startMs, endMs } of segments) {
    const end = Math.min(endMs, range.endMs);
    for (let from = Math.max(startMs, range.startMs); from < end; ) {
      const hour = hours.at(interval.series_id, hourOf(from));
      const to = Math.min(end, hour.startMs + hourMs);
      hour.nanos += sign * nanosWithin(interval, from, to);
      if (sign === 1) markMinutes(hour, from, to);
      from = to;
    }
  }
}

function hourOf(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}

/** Marks the minutes of an hour that a part of it touches. */
export function markMinutes(hour: HourFigures, startMs: number, endMs: number): void {
  const end = Math.ceil((endMs - hour.startMs) / minuteMs);
  for (let minute = Math.floor((startMs - hour.startMs) / minuteMs); minute < end; minute += 1)
    if (minute < 30) hour.early |= 1 << minute;
    else hour.late |= 1 << (minute - 30);
}

/** The minutes of an hour in which something counts: bit m stands for minute m. */
export function maskOf({ early, late }: Pick<HourFigures, 'early' | 'late'>): bigint {
  return (BigInt(late) << 30n) | BigInt(early);
}

/** Adds the number of intervals that touch each local day, by the offset of the interval. */
export function addDayCounts(days: DayTable, intervals: readonly RankedInterval[], sign: Sign = 1): void {
  for (const interval of intervals) {
    const last = localDay(endOf(interval) - 1, interval);
    for (let day = localDay(interval.start_ms, interval); day <= last; day += 1)
      days.at(interval.series_id, day).n += sign;
  }
}

/** Which parts of segments are added to days. */
interface DayBounds {
  /** Time outside it is left out. */
  readonly range?: Range;
  readonly isCounted?: (day: number) => boolean;
  readonly sign?: Sign;
}

/** Adds segments to the sums of local days, each instant by the offset of the interval that it belongs to. */
export function addDaySums(
  days: DayTable,
  of: 'nanos' | 'ownNanos',
  segments: readonly Segment<RankedInterval>[],
  { range = always, isCounted = () => true, sign = 1 }: DayBounds = {},
): void {
  for (const { interval, ...segment } of segments) {
    const end = Math.min(segment.endMs, range.endMs);
    for (let from = Math.max(segment.startMs, range.startMs); from < end; ) {
      const day = localDay(from, interval);
      const to = Math.min(end, (day + 1) * dayMs - interval.zone_offset_minutes * minuteMs);
      if (isCounted(day)) days.at(interval.series_id, day)[of] += sign * nanosWithin(interval, from, to);
      from = to;
    }
  }
}

const always: Range = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY };

/** The segments of each series on its own. `cut`: the segments of all of them. */
export function ownSegments(
  intervals: readonly RankedInterval[],
  cut: readonly Segment<RankedInterval>[],
): readonly Segment<RankedInterval>[] {
  const bySeries = [...Map.groupBy(intervals, ({ series_id }) => series_id).values()];
  return bySeries.length > 1 ? bySeries.flatMap((own) => segmentsOf(own)) : cut;
}

function localDay(ms: number, { zone_offset_minutes }: RankedInterval): number {
  return Math.floor((ms + zone_offset_minutes * minuteMs) / dayMs);
}

/** Items by their ranges: those that are less than a gap apart together. */
export function joinNear<Item>(
  items: readonly Item[],
  rangeOf: (item: Item) => Range,
  gapMs: number,
): { readonly range: Range; readonly near: readonly Item[] }[] {
  const joined: { range: { startMs: number; endMs: number }; near: Item[] }[] = [];
  const ranged = items.map((item) => ({ item, range: rangeOf(item) }));
  for (const { item, range } of ranged.toSorted((a, b) => a.range.startMs - b.range.startMs)) {
    const last = joined.at(-1);
    if (last === undefined || range.startMs >= last.range.endMs + gapMs)
      joined.push({ range: { startMs: range.startMs, endMs: range.endMs }, near: [item] });
    else {
      last.range.endMs = Math.max(last.range.endMs, range.endMs);
      last.near.push(item);
    }
  }
  return joined;
}
