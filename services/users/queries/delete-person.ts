import { recordAudit } from '../../../mixins/audit.ts';
import type { Database } from '../../../mixins/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { AccountHashes } from '../account-hashes.ts';
import type { Person } from '../users.entities.ts';
import { insertErasedAccounts } from './erased-accounts.ts';
import { lockPerson } from './lock-person.ts';
import { revokeConnections } from './revoke-connection.ts';
import { selectErasedAccounts } from './select-erased-accounts.ts';
import { insertTokenRevocations } from './token-revocations.ts';

const emptied = `
update users.person set deleted_at = clock_timestamp(), first_name = null, last_name = null, email = null,
  external_user_id = null
where id = $1`;

/**
 * Hides a person, empties the row, revokes the connections, keeps hashes of their accounts: one commit. Returns the person as they were; null when
 * nobody is there. The row stays, as the note that the data elsewhere is to be erased.
 */
export function deletePerson(
  database: Database,
  origin: AuditOrigin,
  id: string,
  accountHashes: AccountHashes,
): Promise<Omit<Person, 'deletedAt'> | null> {
  return database.transaction(async (transaction) => {
    const person = await lockPerson(transaction, id);
    if (person === null) return null;
    await transaction.query(emptied, [id]);
    await insertErasedAccounts(transaction, accountHashes, await selectErasedAccounts(transaction, id));
    await insertTokenRevocations(transaction, id, null);
    await revokeConnections(transaction, id);
    await recordAudit(transaction, origin, { action: 'user.deleted', userId: id });
    return person;
  });
}
