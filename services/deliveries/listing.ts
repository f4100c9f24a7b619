import { z } from 'zod';
import type { Delivery } from '../../contracts/deliveries.ts';
import { type Cursor, decodeCursor, encodeCursor } from '../../domain/cursor.ts';
import type { Pagination } from '../../domain/page.ts';
import { formatInstant, instantOrNull } from '../../domain/time/time.ts';
import type { Queryable } from '../../mixins/database/database.ts';
import {
  countDeliveries,
  type DeliveryFilter,
  type DeliveryKey,
  type DeliveryRow,
  selectDeliveries,
} from './queries/select-deliveries.ts';

const Key = z.tuple([z.number(), z.uuid()]);

/** The filter and the page of a list of deliveries. */
export interface DeliveriesQuery extends DeliveryFilter {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** One page of deliveries of a filter, newest first, in either direction. @throws CURSOR_INVALID (422). */
export async function listDeliveries(
  database: Queryable,
  { cursor: text, limit, ...filter }: DeliveriesQuery,
): Promise<{ data: Delivery[]; pagination: Pagination }> {
  const { status, provider } = filter;
  const query = ['deliveries', status, ...(provider === undefined ? [] : [provider])];
  const cursor: Cursor<DeliveryKey> | null = text === undefined ? null : decodeCursor(text, query, Key);
  const [read, total] = await Promise.all([
    selectDeliveries(database, filter, cursor, limit + 1),
    countDeliveries(database, filter),
  ]);
  const isCut = read.length > limit;
  const isBackward = cursor?.direction === 'previous';
  const rows = isBackward ? read.slice(0, limit).toReversed() : read.slice(0, limit);
  const next = isBackward || isCut ? rows.at(-1) : undefined;
  const previous = (isBackward ? isCut : cursor !== null) ? rows[0] : undefined;
  return {
    data: rows.map(toWire),
    pagination: {
      next_cursor: next === undefined ? null : encodeCursor(query, 'next', keyOf(next)),
      previous_cursor: previous === undefined ? null : encodeCursor(query, 'previous', keyOf(previous)),
      has_more: next !== undefined,
      total_count: total,
    },
  };
}

function keyOf({ received_us, id }: DeliveryRow): DeliveryKey {
  return [received_us, id];
}

/** The wire format of a delivery. */
export function toWire(row: DeliveryRow): Delivery {
  const isOpen = row.state === 'ready' || row.state === 'working';
  return {
    id: row.id,
    provider: row.provider,
    kind: row.kind,
    status: row.state,
    attempts: row.attempts,
    received_at: formatInstant(row.received_at.getTime()),
    next_attempt_at: isOpen ? formatInstant(row.run_at.getTime()) : null,
    done_at: instantOrNull(row.done_at),
    error: row.error,
    body_bytes: row.body_bytes,
  };
}
