import { z } from 'zod';
import { decodeCursor } from './cursor.ts';
import { type Page, pageFrom } from './page.ts';
import { CalendarDate, datesOf, dateToMs, dayMs, type Instant, lastMs } from './time/time.ts';

/** Parameters of daily summaries. */
export interface DaysRequest {
  readonly user_id: string;
  readonly start_date: Instant;
  readonly end_date: Instant;
  readonly sort_order: 'asc' | 'desc';
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Which local days of a user are read: at most `limit` after `after`, in reading order. */
export interface DayReading {
  readonly user_id: string;
  readonly first_date: string;
  readonly last_date: string;
  readonly after: string | null;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
}

/** How one kind of day is read and converted. */
export interface DayKind<Row, Item> {
  readonly name: string;
  /** `fitting`: the number of rows that a page may have, if that is less than `limit`. */
  readonly read: (reading: DayReading) => Promise<{ total: number; rows: readonly Row[]; fitting?: number }>;
  readonly toWire: (row: Row) => Item;
}

const Key = z.tuple([CalendarDate]);

/**
 * One page of daily summaries. A date of the range is a local day. Instants stand for the dates that [start, end)
 * touches in UTC, and the metadata contain the range in whole days. @throws RANGE_INVALID, CURSOR_INVALID (422)
 */
export async function readDays<Row extends { readonly date: string }, Item>(
  kind: DayKind<Row, Item>,
  request: DaysRequest,
): Promise<Page<Item>> {
  const { user_id, sort_order } = request;
  const { firstDate, lastDate } = datesOf(request);
  const query = [kind.name, user_id, firstDate, lastDate, sort_order];
  const cursor = request.cursor === undefined ? null : decodeCursor(request.cursor, query, Key);
  const { total, rows, fitting } = await kind.read({
    user_id,
    first_date: firstDate,
    last_date: lastDate,
    after: cursor?.key[0] ?? null,
    order: cursor?.direction === 'previous' ? opposite[sort_order] : sort_order,
    limit: request.limit + 1,
  });
  return pageFrom<Row, Item>({
    query,
    range: { startMs: dateToMs(firstDate), endMs: Math.min(dateToMs(lastDate) + dayMs, lastMs) },
    resolution: null,
    limit: Math.min(request.limit, fitting ?? request.limit),
    direction: cursor?.direction ?? null,
    rows,
    totalCount: total,
    keyOf: ({ date }) => [date],
    toWire: kind.toWire,
  });
}

const opposite = { asc: 'desc', desc: 'asc' } as const;
