import type { WebhookMessage } from '../../../contracts/webhooks/schemas.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { sendOnce } from '../deliver/attempt.ts';
import type { DeliveryDeps } from '../deliver/deliver.ts';
import { outcomeOf } from '../deliver/outcome.ts';
import { findMessage } from '../messages/message-list.ts';
import { countTests, insertTest } from '../queries/insert-test.ts';
import { lockEndpoint } from '../queries/requeue-messages.ts';
import { settleMessages } from '../queries/settle-messages.ts';
import { noteSuccess } from '../queries/update-endpoint-health.ts';

/** Tests are sent at once, past the limits of the endpoint. */
const testsPerMinute = 10;

const testsLimited = () =>
  new ServiceError('RATE_LIMITED', `Too many tests: ${testsPerMinute} a minute for each endpoint.`);

type TestDeps = Pick<DeliveryDeps, 'database' | 'poster' | 'cipher' | 'bodyOf' | 'pace'> & {
  readonly origin: AuditOrigin;
};

/**
 * Sends `test.ping` once, also to a disabled endpoint, and returns it with the attempt. A success ends the failing of the
 * endpoint, a failure does not begin it. @throws WEBHOOK_ENDPOINT_NOT_FOUND (404), RATE_LIMITED (429)
 */
export async function testEndpoint(deps: TestDeps, endpointId: string): Promise<WebhookMessage> {
  const { database, pace, bodyOf, origin } = deps;
  const lease = await database.transaction(async (transaction) => {
    if ((await lockEndpoint(transaction, endpointId)) === undefined)
      throw new ServiceError('WEBHOOK_ENDPOINT_NOT_FOUND');
    if ((await countTests(transaction, endpointId)) >= testsPerMinute) throw testsLimited();
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
