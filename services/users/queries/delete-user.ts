import { recordAudit } from '../../../mixins/audit.ts';
import type { Database } from '../../../mixins/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { AccountHashes } from '../account-hashes.ts';
import type { UserRow } from '../users.entities.ts';
import { insertErasedAccounts } from './erased-accounts.ts';
import { lockUser } from './lock-user.ts';
import { revokeConnections } from './revoke-connection.ts';
import { selectErasedAccounts } from './select-erased-accounts.ts';
import { insertTokenRevocations } from './token-revocations.ts';

const emptied = `
update users.person set deleted_at = clock_timestamp(), first_name = null, last_name = null, email = null,
  external_user_id = null
where id = $1`;

/**
 * Hides a user, empties the row, revokes the connections and stores hashes of their accounts, in one transaction. Returns
 * the former user, or null if there is none. The row stays as the marker for the pending erasure in other services.
 */
export function deleteUser(
  database: Database,
  origin: AuditOrigin,
  id: string,
  accountHashes: AccountHashes,
): Promise<Omit<UserRow, 'deletedAt'> | null> {
  return database.transaction(async (transaction) => {
    const user = await lockUser(transaction, id);
    if (user === null) return null;
    await transaction.query(emptied, [id]);
    await insertErasedAccounts(transaction, accountHashes, await selectErasedAccounts(transaction, id));
    await insertTokenRevocations(transaction, id, null);
    await revokeConnections(transaction, id);
    await recordAudit(transaction, origin, { action: 'user.deleted', userId: id });
    return user;
  });
}
