import type { Resolution } from '../../../contracts/timeseries/schemas.ts';
import type { Cursor, Direction } from '../../../domain/cursor.ts';
import { dayMs, hourMs, minuteMs, type Range } from '../../../domain/time/time.ts';

/** A resolution with buckets, and its columns in the statistics. */
export interface BucketSize {
  readonly resolution: Exclude<Resolution, 'raw'>;
  readonly widthMs: number;
  /** The column of sample_day and sample_hour that counts its non-empty buckets. */
  readonly countColumn: 'n1' | 'n5' | 'n15' | 'n60';
  /** The function that counts its buckets in a mask of minutes. */
  readonly countInMask: 'minutes_in' | 'fives_in' | 'quarters_in' | null;
  readonly interval: string;
}

const sizes: readonly BucketSize[] = [
  {
    resolution: '1min',
    widthMs: minuteMs,
    countColumn: 'n1',
    countInMask: 'minutes_in',
    interval: '1 minute',
  },
  {
    resolution: '5min',
    widthMs: 5 * minuteMs,
    countColumn: 'n5',
    countInMask: 'fives_in',
    interval: '5 minutes',
  },
  {
    resolution: '15min',
    widthMs: 15 * minuteMs,
    countColumn: 'n15',
    countInMask: 'quarters_in',
    interval: '15 minutes',
  },
  { resolution: '1hour', widthMs: hourMs, countColumn: 'n60', countInMask: null, interval: '1 hour' },
];

/** The bucket size of a resolution. Null for raw samples. */
export function bucketSizeOf(resolution: Resolution): BucketSize | null {
  return sizes.find((size) => size.resolution === resolution) ?? null;
}

/** Widens a range to whole buckets, because a partly read bucket would have a wrong value. */
export function widen(range: Range, size: BucketSize | null): Range {
  return size === null ? range : widenTo(range, size.widthMs);
}

/** Widens a range to multiples of a width. */
export function widenTo({ startMs, endMs }: Range, widthMs: number): Range {
  return { startMs: floorTo(startMs, widthMs), endMs: ceilTo(endMs, widthMs) };
}

/** The latest multiple of a width that is not after an instant. */
export function floorTo(ms: number, widthMs: number): number {
  return Math.floor(ms / widthMs) * widthMs;
}

/** The first multiple of a width that is not before an instant. */
function ceilTo(ms: number, widthMs: number): number {
  return Math.ceil(ms / widthMs) * widthMs;
}

/**
 * A range that is cut for counting by statistics: whole UTC days, whole hours beside them, and the rest at the edges.
 */
export interface RangePieces {
  readonly days: Range | null;
  readonly hours: readonly Range[];
  readonly edges: readonly Range[];
}

/** Cuts a range. Every instant is in exactly one piece. */
export function piecesOf({ startMs, endMs }: Range): RangePieces {
  const outer = cutAt({ startMs, endMs }, hourMs);
  if (outer.inner === null) return { days: null, hours: [], edges: outer.sides };
  const { inner, sides } = cutAt(outer.inner, dayMs);
  return { days: inner, hours: sides, edges: outer.sides };
}

/** Cuts a range into the part between multiples of a width, and what is beside it. */
export function cutAt({ startMs, endMs }: Range, widthMs: number): { inner: Range | null; sides: Range[] } {
  const innerStartMs = Math.min(ceilTo(startMs, widthMs), endMs);
  const innerEndMs = Math.max(floorTo(endMs, widthMs), innerStartMs);
  const sides = [
    { startMs, endMs: innerStartMs },
    { startMs: innerEndMs, endMs },
  ];
  return {
    inner: innerStartMs < innerEndMs ? { startMs: innerStartMs, endMs: innerEndMs } : null,
    sides: sides.filter((side) => side.startMs < side.endMs),
  };
}

/** The cursor of a sample or bucket: microseconds since 1970, then the series. */
export type SampleKey = readonly [microseconds: number, seriesId: number];

/** The part of each series that a page is read from: [first, end) in microseconds, and the direction. */
export interface ScanRange {
  readonly direction: Direction;
  readonly series: readonly { id: number; first: number; end: number }[];
}

/**
 * Resolves a cursor into bounds per series, so that the database compares plain times. Items of equal time are ordered
 * by series: series before and after the cursor's series have different bounds. `widthMs` is the bucket width, null for
 * raw samples, which are at least a microsecond apart.
 */
export function scanRangeOf(
  seriesIds: readonly number[],
  { startMs, endMs }: Range,
  widthMs: number | null,
  cursor: Cursor<SampleKey> | null,
): ScanRange {
  const [start, end] = [startMs * 1000, endMs * 1000];
  const step = widthMs === null ? 1 : widthMs * 1000;
  if (cursor === null)
    return { direction: 'next', series: seriesIds.map((id) => ({ id, first: start, end })) };
  const [at, cursorSeries] = cursor.key;
  const { direction } = cursor;
  const series = seriesIds.map((id) =>
    direction === 'next'
      ? { id, first: Math.max(start, id > cursorSeries ? at : at + step), end }
      : { id, first: start, end: Math.min(end, id < cursorSeries ? at + step : at) },
  );
  return { direction, series: series.filter(({ first, end }) => first < end) };
}

/** Bounds that contain all series of a range. */
export function outerBounds({ series }: ScanRange): { first: number; end: number } {
  return {
    first: Math.min(...series.map(({ first }) => first)),
    end: Math.max(...series.map(({ end }) => end)),
  };
}

/** Microseconds since 1970 as a PostgreSQL timestamp. A Date holds milliseconds only. */
export function isoMicroseconds(microseconds: number): string {
  const ms = Math.floor(microseconds / 1000);
  const rest = String(microseconds - ms * 1000).padStart(3, '0');
  return `${new Date(ms).toISOString().slice(0, -1)}${rest}Z`;
}

/** Factor for gaps, such as nights without a watch and days without a sync, compared to evenly spread items. */
const room = 8;
const leastSpanUs = 10 * dayMs * 1000;
/** The longest bucket. Bounds are multiples of it, so that no bucket is cut. */
const hourUs = hourMs * 1000;

/**
 * An instant in microseconds by which a page of `most` of `total` items is probably full. Null if the range is hardly
 * longer. This is an estimate: a caller that finds too few items must read on.
 */
export function likelyBound(scanRange: ScanRange, total: number, most: number): number | null {
  const { first, end } = outerBounds(scanRange);
  const even = ((end - first) * most * room) / total;
  const span = Math.max(leastSpanUs, Math.ceil(even / hourUs) * hourUs);
  if (scanRange.series.length === 0 || span * 2 > end - first) return null;
  return scanRange.direction === 'next' ? first + span : end - span;
}

/**
 * The part of a range in microseconds that a page is read from before its items are counted: the first days after the
 * cursor (backward: before it), or all of it if it is hardly longer.
 */
export function nearPart(
  { first, end }: { readonly first: number; readonly end: number },
  cursor: Cursor<SampleKey> | null,
): { first: number; end: number } {
  const within = (at: number) => Math.min(end, Math.max(first, at));
  if (cursor?.direction === 'previous') {
    const last = within(cursor.key[0] + 1);
    return leastSpanUs * 2 > last - first ? { first, end } : { first: last - leastSpanUs, end: last };
  }
  const start = within(cursor?.key[0] ?? first);
  return leastSpanUs * 2 > end - start ? { first, end } : { first: start, end: start + leastSpanUs };
}

/** A range that is cut (backward: begins) at a bound after the page. */
export function bounded(scanRange: ScanRange, bound: number | null): ScanRange {
  if (bound === null) return scanRange;
  const series = scanRange.series.map(({ id, first, end }) =>
    scanRange.direction === 'next'
      ? { id, first, end: Math.min(end, bound) }
      : { id, first: Math.max(first, bound), end },
  );
  return { ...scanRange, series: series.filter(({ first, end }) => first < end) };
}
