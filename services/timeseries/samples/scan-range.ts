import type { Cursor, Direction } from '../../../domain/cursor.ts';
import { dayMs, hourMs, type Range } from '../../../domain/time.ts';

/** The place of a sample or bucket in its list: microseconds since 1970, then the series. */
export type SampleKey = readonly [microseconds: number, seriesId: number];

/** What of each series a page is read from: [first, beyond) in microseconds, and which way. */
export interface ScanRange {
  readonly direction: Direction;
  readonly series: readonly { id: number; first: number; beyond: number }[];
}

/**
 * Resolves a cursor into bounds of each series, so that the database compares plain times: items of equal time
 * stand in the order of their series, and those beside the cursor's item are on one or the other side of it.
 * `widthMs` is that of a bucket, null for raw samples, whose neighbours are a microsecond apart at least.
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
    return { direction: 'next', series: seriesIds.map((id) => ({ id, first: start, beyond: end })) };
  const [at, cursorSeries] = cursor.key;
  const { direction } = cursor;
  const series = seriesIds.map((id) =>
    direction === 'next'
      ? { id, first: Math.max(start, id > cursorSeries ? at : at + step), beyond: end }
      : { id, first: start, beyond: Math.min(end, id < cursorSeries ? at + step : at) },
  );
  return { direction, series: series.filter(({ first, beyond }) => first < beyond) };
}

/** Bounds that hold for all series of a reach. */
export function outerBounds({ series }: ScanRange): { first: number; beyond: number } {
  return {
    first: Math.min(...series.map(({ first }) => first)),
    beyond: Math.max(...series.map(({ beyond }) => beyond)),
  };
}

/** Microseconds since 1970 as PostgreSQL reads them; a Date holds milliseconds only. */
export function isoMicroseconds(microseconds: number): string {
  const ms = Math.floor(microseconds / 1000);
  const rest = String(microseconds - ms * 1000).padStart(3, '0');
  return `${new Date(ms).toISOString().slice(0, -1)}${rest}Z`;
}

/** How much longer than evenly spread items need: nights without a watch, days without a sync. */
const room = 8;
const leastSpanUs = 10 * dayMs * 1000;
/** No bucket is longer, so none is cut in two. */
const hourUs = hourMs * 1000;

/**
 * An instant, in microseconds, by which a page of `most` of `total` items is likely full; null where the reach is
 * hardly longer. A guess: who reads up to it and finds too few has to read on.
 */
export function likelyBound(reach: ScanRange, total: number, most: number): number | null {
  const { first, beyond } = outerBounds(reach);
  const even = ((beyond - first) * most * room) / total;
  const span = Math.max(leastSpanUs, Math.ceil(even / hourUs) * hourUs);
  if (reach.series.length === 0 || span * 2 > beyond - first) return null;
  return reach.direction === 'next' ? first + span : beyond - span;
}

/** A reach that ends (backward: begins) at a bound that is known to lie behind the page. */
export function bounded(reach: ScanRange, bound: number | null): ScanRange {
  if (bound === null) return reach;
  const series = reach.series.map(({ id, first, beyond }) =>
    reach.direction === 'next'
      ? { id, first, beyond: Math.min(beyond, bound) }
      : { id, first: Math.max(first, bound), beyond },
  );
  return { ...reach, series: series.filter(({ first, beyond }) => first < beyond) };
}
