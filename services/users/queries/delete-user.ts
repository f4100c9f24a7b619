import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { FirstAttempt, Jobs } from '../../../mixins/jobs/jobs.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { AccountHashes } from '../erasure/account-hashes.ts';
import { erasureKind } from '../job-kinds.ts';
import type { UserRow } from '../users.entities.ts';
import { insertErasedAccounts } from './erased-accounts.ts';
import { lockUser } from './lock-user.ts';
import { revokeConnections } from './revoke-connection.ts';
import { selectErasedAccounts } from './select-erased-accounts.ts';
import { enqueueTokenRevocations } from './token-revocations.ts';

const emptied = `
update users.person set deleted_at = clock_timestamp(), first_name = null, last_name = null, email = null,
  external_user_id = null, time_zone = null
where id = $1`;

/** A deleted user as it was, and the first attempt of the erasure in the other services. */
export interface Deleted {
  readonly user: Omit<UserRow, 'deletedAt'>;
  readonly erase: FirstAttempt;
}

/** Dependencies of a deletion. */
export interface DeletionDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly origin: AuditOrigin;
  readonly accountHashes: AccountHashes;
}

/**
 * Hides a user, empties the row, revokes the connections, stores hashes of their accounts and enqueues the erasure in
 * the other services, in one transaction. Null if there is no such user. The row stays until that erasure is finished.
 */
export function deleteUser(
  { database, jobs, origin, accountHashes }: DeletionDeps,
  id: string,
): Promise<Deleted | null> {
  return database.transaction(async (transaction) => {
    const user = await lockUser(transaction, id);
    if (user === null) return null;
    await transaction.query(emptied, [id]);
    await insertErasedAccounts(transaction, accountHashes, await selectErasedAccounts(transaction, id));
    await enqueueTokenRevocations(transaction, id, null);
    await revokeConnections(transaction, id);
    await recordAudit(transaction, origin, { action: 'user.deleted', userId: id });
    return { user, erase: await jobs.enqueueLeased(transaction, erasureKind, { key: id, payload: {} }) };
  });
}
