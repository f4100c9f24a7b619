import type { WebhookMessage } from '../../contracts/webhooks/schemas.ts';
import { ServiceError } from '../../domain/errors.ts';
import { formatInstant } from '../../domain/time.ts';
import { recordAudit } from '../../mixins/audit.ts';
import type { Database, Queryable } from '../../mixins/database.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import { findMessage } from './message-list.ts';
import {
  insertMissing,
  lockEndpoint,
  type RangePosition,
  type Requeue,
  type RequeuedPart,
  requeueKept,
  requeueMessage,
} from './queries/requeue-messages.ts';

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
    if (!(await requeueMessage(transaction, messageId))) throw await refusalOf(transaction, messageId);
    const action = 'webhook_endpoint.message_resent';
    await recordAudit(transaction, origin, {
      action,
      subjectId: endpointId,
      details: { message_id: messageId },
    });
    return findMessage(transaction, messageId);
  });
}

async function refusalOf(transaction: Queryable, messageId: string): Promise<ServiceError> {
  const [row] = await transaction.query<{ leased: boolean }>(
    'select leased and run_at > now() as leased from webhooks.message where id = $1',
    [messageId],
  );
  return new ServiceError(row?.leased === true ? 'WEBHOOK_MESSAGE_IN_WORK' : 'WEBHOOK_MESSAGE_DROPPED');
}

// Returns the time of the transaction.
async function requireEnabled(transaction: Queryable, endpointId: string): Promise<string> {
  const endpoint = await lockEndpoint(transaction, endpointId);
  if (endpoint === undefined) throw new ServiceError('WEBHOOK_ENDPOINT_NOT_FOUND');
  if (!endpoint.enabled) throw new ServiceError('WEBHOOK_ENDPOINT_DISABLED');
  return endpoint.now;
}

/** Rows of one transaction. */
const rowsPerPart = 2000;

/**
 * Makes the messages of a range due again, and those that are missing because the endpoint was disabled. Each part is a
 * transaction, so the first messages are sent meanwhile. @throws WEBHOOK_ENDPOINT_NOT_FOUND (404),
 * WEBHOOK_ENDPOINT_DISABLED (409)
 */
export async function requeueSince(
  { database, origin }: ResendDeps,
  wanted: Omit<Requeue, 'until'>,
  limit = rowsPerPart,
): Promise<number> {
  const { endpointId, since, isReplay } = wanted;
  const until = await database.transaction(async (transaction) => {
    const now = await requireEnabled(transaction, endpointId);
    await recordAudit(transaction, origin, {
      action: isReplay ? 'webhook_endpoint.replayed' : 'webhook_endpoint.recovered',
      subjectId: endpointId,
      details: { since: formatInstant(since.getTime()) },
    });
    return now;
  });
  const range = { ...wanted, until };
  const inPart = (work: (transaction: Queryable) => Promise<RequeuedPart>) =>
    database.transaction(async (transaction) => {
      await lockEndpoint(transaction, endpointId);
      return work(transaction);
    });
  const existing = await inParts(
    { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' },
    (position) => inPart((transaction) => requeueKept(transaction, range, position, limit)),
  );
  const created = await inParts({ at: '-infinity', id: '0' }, (position) =>
    inPart((transaction) => insertMissing(transaction, range, position, limit)),
  );
  return existing + created;
}

async function inParts(
  first: RangePosition,
  work: (position: RangePosition) => Promise<RequeuedPart>,
): Promise<number> {
  let queued = 0;
  for (let part = await work(first); part !== undefined; part = await work(part.last)) queued += part.queued;
  return queued;
}
