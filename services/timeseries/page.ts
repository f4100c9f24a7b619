import { type Direction, encodeCursor } from '../../domain/cursor.ts';
import type { Page } from '../../domain/page.ts';
import { formatInstant, type Range } from '../../domain/time.ts';

/** A list as it was asked for, and one row more than the limit where there are more. */
export interface Listing<Row, Item> {
  /** What the cursors belong to. */
  readonly query: unknown;
  readonly range: Range;
  readonly resolution: string | null;
  readonly limit: number;
  /** Where the page was read from; null for the first one. */
  readonly direction: Direction | null;
  /** In the order in which they were read: backward ones from the last to the first. */
  readonly rows: readonly Row[];
  readonly totalCount: number;
  readonly keyOf: (row: Row) => readonly (string | number)[];
  readonly toWire: (row: Row) => Item;
}

/** The envelope of one page. Pages that were read backward keep the list's order; the first has nothing before. */
export function pageFrom<Row, Item>(listing: Listing<Row, Item>): Page<Item> {
  const { direction, limit, query, keyOf, range } = listing;
  const read = listing.rows.slice(0, limit);
  const rows = direction === 'previous' ? read.toReversed() : read;
  const isCut = listing.rows.length > limit;
  const hasNext = direction === 'previous' ? rows.length > 0 : isCut;
  const hasPrevious = direction === 'previous' ? isCut : direction === 'next' && rows.length > 0;
  const cursorOf = (row: Row | undefined, to: Direction) =>
    row === undefined ? null : encodeCursor(query, to, keyOf(row));
  return {
    data: rows.map(listing.toWire),
    pagination: {
      next_cursor: hasNext ? cursorOf(rows.at(-1), 'next') : null,
      previous_cursor: hasPrevious ? cursorOf(rows[0], 'previous') : null,
      has_more: hasNext,
      total_count: listing.totalCount,
    },
    metadata: {
      resolution: listing.resolution,
      sample_count: rows.length,
      start_time: formatInstant(range.startMs),
      end_time: formatInstant(range.endMs),
    },
  };
}
