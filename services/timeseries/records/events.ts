import { z } from 'zod';
import { decodeCursor } from '../../../domain/cursor.ts';
import { type Page, pageFrom } from '../../../domain/page.ts';
import { type Instant, resolveRange } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type EventRow, type EventTable, selectEvents } from '../queries/select-events.ts';
import { isoMicroseconds } from '../samples/scan-range.ts';

/** Parameters of a list of events. */
export interface EventsQuery {
  readonly user_id: string;
  readonly start_date: Instant;
  readonly end_date: Instant;
  readonly type?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A kind of listed event: its table and its wire form. */
export interface EventKind<Row, Item> {
  readonly table: EventTable;
  readonly toWire: (row: Row) => Item;
  /** Adds values to the rows of a page that are not stored with them. */
  readonly complete?: (on: Queryable, userId: string, rows: readonly Row[]) => Promise<Row[]>;
  /** The number of rows that fit on a page, at least one, if rows may be large. */
  readonly fitting?: (rows: readonly Row[]) => number;
}

const Key = z.tuple([z.int(), z.uuid()]);

/**
 * One page of a user's events whose start is in [start, end), newest first, equal starts ordered by id.
 * @throws RANGE_INVALID, CURSOR_INVALID (422)
 */
export async function readEvents<Row extends EventRow, Item>(
  database: Queryable,
  kind: EventKind<Row, Item>,
  request: EventsQuery,
): Promise<Page<Item>> {
  const { user_id } = request;
  const range = resolveRange(request.start_date, request.end_date);
  const type = request.type ?? null;
  const query = [kind.table.name, user_id, range.startMs, range.endMs, type];
  const cursor = request.cursor === undefined ? null : decodeCursor(request.cursor, query, Key);
  const filter = { userId: user_id, range, type };
  const after = cursor === null ? null : { start: isoMicroseconds(cursor.key[0]), id: cursor.key[1] };
  const from = { direction: cursor?.direction ?? ('next' as const), after };
  const found = await selectEvents<Row>(database, kind.table, filter, from, request.limit + 1);
  const rows = (await kind.complete?.(database, user_id, found.rows)) ?? found.rows;
  const totalCount = found.total;
  const limit = Math.min(request.limit, kind.fitting?.(rows) ?? request.limit);
  const keyOf = (row: Row) => [row.at, row.id];
  const direction = cursor?.direction ?? null;
  const { toWire } = kind;
  return pageFrom({ query, range, resolution: null, limit, direction, rows, totalCount, keyOf, toWire });
}
