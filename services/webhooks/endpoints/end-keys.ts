import type { Caller } from '../../../contracts/auth/schemas.ts';
import type { EndpointOfKey } from '../../../contracts/webhooks/schemas.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import {
  disableEndpointsOfKeys,
  insertDeletedKeys,
  isDeletedKey,
  selectEndpointsOfKeys,
} from '../queries/endpoints-of-key.ts';
import { insertEndpointDisabled } from '../queries/publish-due.ts';

/**
 * Disables the endpoints of deleted keys once, unless they are kept, and returns them. A repeated call changes nothing, so
 * that an endpoint which was enabled again stays enabled.
 */
export function endKeys(
  { database, origin }: { readonly database: Database; readonly origin: AuditOrigin },
  { key_ids, keep_endpoints }: { readonly key_ids: readonly string[]; readonly keep_endpoints: boolean },
): Promise<EndpointOfKey[]> {
  return database.transaction(async (transaction) => {
    const isNew = await insertDeletedKeys(transaction, key_ids);
    const disabled = isNew && !keep_endpoints ? await disableEndpointsOfKeys(transaction, key_ids) : [];
    const details = { reason: 'key_deleted' };
    for (const subjectId of disabled)
      await recordAudit(transaction, origin, { action: 'webhook_endpoint.disabled', subjectId, details });
    for (const id of disabled) await insertEndpointDisabled(transaction, id, 'key_deleted');
    const rows = await selectEndpointsOfKeys(transaction, key_ids);
    return rows.map(({ id, url, enabled }) => ({ id, url, enabled }));
  });
}

/**
 * The API key of a caller who creates or changes an endpoint; null for others. @throws UNAUTHENTICATED (401) if the key was
 * deleted after the request was admitted
 */
export async function keyOf(
  transaction: Queryable,
  caller: Caller | null | undefined,
): Promise<string | null> {
  if (caller?.kind !== 'api-key') return null;
  if (await isDeletedKey(transaction, caller.id))
    throw new ServiceError('UNAUTHENTICATED', 'The API key was deleted.');
  return caller.id;
}
