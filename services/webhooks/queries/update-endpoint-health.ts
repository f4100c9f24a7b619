import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable, Statement } from '../../../mixins/database/database.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import { failingDays } from '../deliver/pace.ts';
import type { Receiver } from './claim-messages.ts';
import { insertEndpointDisabled } from './publish-due.ts';

/** An endpoint, and the address that a message was sent to. */
export type AddressedEndpoint = Pick<Receiver, 'endpoint_id' | 'url'>;

// A result counts only while the endpoint has the address that it was sent to.
const succeeded: Statement = {
  name: 'webhooks.note_success',
  text: `
    update webhooks.endpoint set failing_since = null, last_delivered_at = now()
    where id = $1 and url = $2 and (failing_since is not null or last_delivered_at is null
      or last_delivered_at < now() - interval '1 second')`,
};

/** Records a success, at most one per second. */
export async function noteSuccess(
  database: Queryable,
  { endpoint_id, url }: AddressedEndpoint,
): Promise<void> {
  await database.query(succeeded, [endpoint_id, url]);
}

const failed: Statement = {
  name: 'webhooks.note_failure',
  text: `
    update webhooks.endpoint set
      failing_since = coalesce(failing_since, now() + $2::float8 * interval '1 ms'),
      paused_until = greatest(paused_until, now() + ($2::float8 + $3::float8) * interval '1 ms')
    where id = $1 and url = $4 and (failing_since is null or $3::float8 is not null)`,
};

/** Records a failure, and how long the endpoint asks to wait. */
export async function noteFailure(
  database: Queryable,
  { endpoint_id, url }: AddressedEndpoint,
  { aheadMs, pauseMs }: { readonly aheadMs: number; readonly pauseMs: number | null },
): Promise<void> {
  await database.query(failed, [endpoint_id, aheadMs, pauseMs, url]);
}

/** Why the health of an endpoint disables it. `gone`: it answered 410. `failing`: five days without a success. */
export type DisabledReason = 'gone' | 'failing';

const disabled: Statement = {
  name: 'webhooks.disable',
  text: `
    update webhooks.endpoint set enabled = false, disabled_reason = $2, updated_at = now()
    where id = $1 and url = $4 and enabled and ($2 = 'gone'
      or failing_since <= now() + $3::float8 * interval '1 ms' - interval '${failingDays} days')
    returning project_id`,
};

/** Disables an endpoint that meets the rule, with an audit entry and a change. Returns whether it did. */
export function disableEndpoint(
  database: Database,
  { endpoint_id: endpointId, url }: AddressedEndpoint,
  { reason, aheadMs }: { readonly reason: DisabledReason; readonly aheadMs: number },
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const values = [endpointId, reason, aheadMs, url];
    const [row] = await transaction.query<{ project_id: string }>(disabled, values);
    if (row === undefined) return false;
    const origin = { ...systemOrigin('webhooks'), projectId: row.project_id };
    await recordAudit(transaction, origin, {
      action: 'webhook_endpoint.disabled',
      subjectId: endpointId,
      details: { reason },
    });
    await insertEndpointDisabled(transaction, endpointId, reason);
    return true;
  });
}
