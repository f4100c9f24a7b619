import { z } from 'zod';
import type { WebhookAttempt, WebhookMessage } from '../../../contracts/webhooks/schemas.ts';
import { decodeCursor, encodeCursor } from '../../../domain/cursor.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { selectEndpoint } from '../queries/endpoints.ts';
import {
  type AttemptRow,
  type MessageFilter,
  type MessageRow,
  selectAttempts,
  selectMessage,
  selectMessages,
} from '../queries/select-messages.ts';

const Key = z.tuple([z.number(), z.uuid()]);

/** The filter and the page of a list of messages. */
export interface MessagesQuery extends MessageFilter {
  readonly endpoint_id: string;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A page of messages of an endpoint, newest first. @throws WEBHOOK_ENDPOINT_NOT_FOUND (404), CURSOR_INVALID (422) */
export async function listMessages(
  database: Queryable,
  project: string,
  { endpoint_id, status, user_id, cursor, limit }: MessagesQuery,
): Promise<{ data: WebhookMessage[]; pagination: { next_cursor: string | null; has_more: boolean } }> {
  const filter = { status, user_id };
  const query = [
    'webhook-messages',
    endpoint_id,
    status ?? null,
    ...(user_id === undefined ? [] : [user_id]),
  ];
  const before = cursor === undefined ? null : decodeCursor(cursor, query, Key).key;
  if ((await selectEndpoint(database, project, endpoint_id)) === undefined)
    throw new ServiceError('WEBHOOK_ENDPOINT_NOT_FOUND');
  const read = await selectMessages(database, endpoint_id, filter, { before, limit: limit + 1 });
  const rows = read.slice(0, limit);
  const last = read.length > limit ? rows.at(-1) : undefined;
  return {
    data: await withAttempts(database, rows),
    pagination: {
      next_cursor: last === undefined ? null : encodeCursor(query, 'next', [last.created_us, last.id]),
      has_more: last !== undefined,
    },
  };
}

/** One message with its attempts. @throws WEBHOOK_MESSAGE_NOT_FOUND (404) */
export async function findMessage(database: Queryable, id: string): Promise<WebhookMessage> {
  const row = await selectMessage(database, id);
  const [message] = row === undefined ? [] : await withAttempts(database, [row]);
  if (message === undefined) throw new ServiceError('WEBHOOK_MESSAGE_NOT_FOUND');
  return message;
}

async function withAttempts(database: Queryable, rows: readonly MessageRow[]): Promise<WebhookMessage[]> {
  const ids = rows.map(({ id }) => id);
  const attempts = Map.groupBy(await selectAttempts(database, ids), ({ message_id }) => message_id);
  return rows.map((row) => toMessage(row, attempts.get(row.id) ?? []));
}

const historicalLane = 10;

function toMessage(row: MessageRow, attempts: readonly AttemptRow[]): WebhookMessage {
  const { id, endpoint_id, type, user_id, state } = row;
  return {
    ...{ id, endpoint_id, type, user_id },
    historical: row.lane === historicalLane,
    status: state,
    created_at: formatInstant(row.created_at.getTime()),
    next_attempt_at: state === 'waiting' ? formatInstant(row.run_at.getTime()) : null,
    delivered_at: instantOrNull(row.delivered_at),
    attempts: attempts.map(toAttempt),
  };
}

function toAttempt({ number, at, status, duration_ms, error, answer }: AttemptRow): WebhookAttempt {
  return { number, at: formatInstant(at.getTime()), status, duration_ms, error, response: answer };
}
