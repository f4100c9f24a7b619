import type { Config } from '../../../config.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { knowsPermissions } from '../../../mixins/provider-api/access-check.ts';
import { providers } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { hasRoom, lockAccessCheck, openAccessCheck } from '../queries/access-checks.ts';
import { lockConnection } from '../queries/end-connection.ts';
import { type ScopeChange, updateScopesWithin } from '../queries/update-scopes.ts';

interface Changing {
  readonly database: Database;
  readonly config: Config;
  readonly origin: AuditOrigin;
}

/**
 * Applies unauthenticated changes of scopes. Each is followed by a read of the permissions, whose result is final. If
 * too many changes are open, the read comes first and the change is not applied. Returns the number of changed connections.
 */
export async function changeUnconfirmedScopes(
  changing: Changing,
  changes: readonly ScopeChange[],
): Promise<number> {
  let updated = 0;
  for (const [id, own] of Map.groupBy(changes, ({ connection_id }) => connection_id))
    updated += await changing.database.transaction((transaction) => apply(transaction, changing, id, own));
  return updated;
}

async function apply(
  transaction: Queryable,
  { config, origin }: Changing,
  connectionId: string,
  changes: readonly ScopeChange[],
): Promise<number> {
  const connection = await lockConnection(transaction, connectionId);
  if (connection === undefined || connection.status !== 'active') return 0;
  const { provider, has_token } = connection;
  const { accessCheck } = providers[provider];
  if (!has_token || accessCheck === null || !knowsPermissions(provider))
    return updateScopesWithin(transaction, origin, changes);
  const check = await lockAccessCheck(transaction, connectionId);
  const limit = accessCheck.readsPerHour(config);
  const isRead = (check?.has_reads ?? true) && (await hasRoom(transaction, provider, limit));
  await openAccessCheck(transaction, { connectionId, provider, change: 'permissions' });
  return isRead ? updateScopesWithin(transaction, origin, changes) : 0;
}
