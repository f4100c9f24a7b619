import type { WebhookMessage } from '../../../contracts/webhooks/schemas.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { lockEndpoint, requeueMessage } from '../queries/requeue-messages.ts';
import { findMessage } from './message-list.ts';

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

/**
 * Locks an endpoint. Returns the time of the transaction. @throws WEBHOOK_ENDPOINT_NOT_FOUND (404),
 * WEBHOOK_ENDPOINT_DISABLED (409)
 */
export async function requireEnabled(transaction: Queryable, endpointId: string): Promise<string> {
  const endpoint = await lockEndpoint(transaction, endpointId);
  if (endpoint === undefined) throw new ServiceError('WEBHOOK_ENDPOINT_NOT_FOUND');
  if (!endpoint.enabled) throw new ServiceError('WEBHOOK_ENDPOINT_DISABLED');
  return endpoint.now;
}
