import { z } from 'zod';
import { type Direction, encodeCursor } from './cursor.ts';
import { formatInstant, type Range } from './time/time.ts';

/** The `limit` parameter: a whole number from 1 to `most`, default `preset`. */
export function limitUpTo(most: number, preset = 50) {
  return z
    .union([
      z.number(),
      z
        .string()
        .regex(/^\d{1,6}$/, `must be a whole number from 1 to ${most}`)
        .transform(Number),
    ])
    .pipe(
      z
        .int(`must be a whole number from 1 to ${most}`)
        .min(1, `must be at least 1`)
        .max(most, `must be at most ${most}`),
    )
    .default(preset)
    .describe(`Maximum number of items on a page, 1 to ${most}. Default: ${preset}.`);
}

/** The `cursor` parameter; its content is validated by `decodeCursor`. */
export const CursorParameter = z
  .string()
  .min(1)
  .max(512)
  .optional()
  .describe('`next_cursor` or `previous_cursor` of an earlier response to the same query.');

/** The position of a page in its list. */
export const Pagination = z
  .object({
    next_cursor: z.string().nullable(),
    previous_cursor: z.string().nullable(),
    has_more: z.boolean(),
    total_count: z.int(),
  })
  .meta({ id: 'Pagination', description: 'The position of a page in its list.' });

/** The range and resolution of a page. */
const PageMetadata = z
  .object({
    resolution: z.string().nullable(),
    sample_count: z.int(),
    start_time: z.string(),
    end_time: z.string(),
  })
  .meta({ id: 'PageMetadata', description: 'The range and resolution that a page was computed from.' });

/** The envelope of every list that is paged by cursor. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), pagination: Pagination, metadata: PageMetadata });
}

export type Pagination = z.infer<typeof Pagination>;
type PageMetadata = z.infer<typeof PageMetadata>;

/** A page of `T`, as `pageOf` describes it. */
export interface Page<T> {
  data: T[];
  pagination: Pagination;
  metadata: PageMetadata;
}

/** The rows of a page and its query. There is one row more than the limit if another page follows. */
export interface Listing<Row, Item> {
  /** The query that the cursors belong to. */
  readonly query: unknown;
  readonly range: Range;
  readonly resolution: string | null;
  readonly limit: number;
  /** The direction from the cursor; null for the first page. */
  readonly direction: Direction | null;
  /** In reading order: those of a backward page are in reverse. */
  readonly rows: readonly Row[];
  readonly totalCount: number;
  readonly keyOf: (row: Row) => readonly (string | number)[];
  readonly toWire: (row: Row) => Item;
}

/** The envelope of one page. A backward page is returned in the order of the list; the first page has no previous one. */
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
