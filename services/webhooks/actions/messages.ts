import { z } from 'zod';
import type { WebhookAttempt, WebhookMessage } from '../../../contracts/webhooks/schemas.ts';
import type { webhooks } from '../../../contracts/webhooks.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { decodeCursor, encodeCursor } from '../../../domain/cursor.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { outcomeOf } from '../rules/outcome.ts';
import { lockEndpoint, noteSuccess, requireEnabled, selectEndpoint } from '../tables/endpoints.ts';
import { settleMessages } from '../tables/message-leases.ts';
import {
  type AttemptRow,
  countTests,
  insertTest,
  isMessageLeased,
  type MessageRow,
  requeueMessage,
  selectAttempts,
  selectMessage,
  selectMessages,
} from '../tables/messages.ts';
import { type DeliveryDeps, sendOnce } from '../work/deliver.ts';

const MessagePosition = z.tuple([z.number(), z.uuid()]);

/** The filter and the page of a list of messages. */
type MessagesQuery = ParamsOf<typeof webhooks, 'messages'>;

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
  const before = cursor === undefined ? null : decodeCursor(cursor, query, MessagePosition).key;
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
  return {
    id: row.id,
    endpoint_id: row.endpoint_id,
    type: row.type,
    user_id: row.user_id,
    historical: row.lane === historicalLane,
    status: row.state,
    created_at: formatInstant(row.created_at.getTime()),
    next_attempt_at: row.state === 'waiting' ? formatInstant(row.run_at.getTime()) : null,
    delivered_at: instantOrNull(row.delivered_at),
    attempts: attempts.map(toAttempt),
  };
}

function toAttempt({ number, at, status, duration_ms, error, answer }: AttemptRow): WebhookAttempt {
  return { number, at: formatInstant(at.getTime()), status, duration_ms, error, response: answer };
}

interface ResendDeps {
  readonly database: Database;
  readonly origin: AuditOrigin;
}

/**
 * Makes one message due at once. @throws WEBHOOK_MESSAGE_NOT_FOUND (404), WEBHOOK_ENDPOINT_DISABLED,
 * WEBHOOK_MESSAGE_IN_WORK, WEBHOOK_MESSAGE_DROPPED (409)
 */
export function resendMessage(
  { database, origin }: ResendDeps,
  endpointId: string,
  messageId: string,
): Promise<WebhookMessage> {
  return database.transaction(async (transaction) => {
    const message = await findMessage(transaction, messageId);
    if (message.endpoint_id !== endpointId) throw new ServiceError('WEBHOOK_MESSAGE_NOT_FOUND');
    await requireEnabled(transaction, endpointId);
    if (!(await requeueMessage(transaction, messageId))) {
      const isLeased = await isMessageLeased(transaction, messageId);
      throw new ServiceError(isLeased ? 'WEBHOOK_MESSAGE_IN_WORK' : 'WEBHOOK_MESSAGE_DROPPED');
    }
    await recordAudit(transaction, origin, {
      action: 'webhook_endpoint.message_resent',
      subjectId: endpointId,
      details: { message_id: messageId },
    });
    return findMessage(transaction, messageId);
  });
}

/** Tests are sent at once, past the limits of the endpoint. */
const testsPerMinute = 10;

type TestDeps = Pick<DeliveryDeps, 'database' | 'poster' | 'cipher' | 'bodyOf' | 'pace'> & {
  readonly origin: AuditOrigin;
};

/**
 * Sends `test.ping` once, also to a disabled endpoint, and returns it with the attempt. A success marks the endpoint
 * as working again. A failure does not mark it as failing. @throws WEBHOOK_ENDPOINT_NOT_FOUND (404), RATE_LIMITED
 * (429)
 */
export async function testEndpoint(deps: TestDeps, endpointId: string): Promise<WebhookMessage> {
  const { database, pace, bodyOf, origin } = deps;
  const lease = await database.transaction(async (transaction) => {
    if ((await lockEndpoint(transaction, endpointId)) === undefined)
      throw new ServiceError('WEBHOOK_ENDPOINT_NOT_FOUND');
    if ((await countTests(transaction, endpointId)) >= testsPerMinute)
      throw new ServiceError('RATE_LIMITED', `Too many tests: ${testsPerMinute} a minute for each endpoint.`);
    const inserted = await insertTest(transaction, endpointId, pace.totalMs * 2);
    if (inserted === undefined) throw new ServiceError('WEBHOOK_ENDPOINT_NOT_FOUND');
    await recordAudit(transaction, origin, { action: 'webhook_endpoint.tested', subjectId: endpointId });
    return inserted;
  });
  const body = await bodyOf(lease);
  const { signal } = new AbortController();
  const attempt = await sendOnce(deps, { id: lease.id, receiver: lease, body }, signal);
  const outcome = outcomeOf(lease, attempt, pace);
  await settleMessages(database, [{ lease, outcome }], 0);
  if (outcome.state === 'delivered') await noteSuccess(database, lease);
  return findMessage(database, lease.id);
}
