import type { Logger } from 'moleculer';
import { fieldOf } from '../../domain/error-code.ts';
import { userNotFound } from '../../domain/errors.ts';
import type { Database } from '../../mixins/database.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import type { Call } from '../../runtime/environment.ts';
import { callOn } from '../../runtime/lifecycle.ts';
import type { AccountHashes } from './account-hashes.ts';
import { eraseAccounts } from './erase-accounts.ts';
import { claimErasures, markErased } from './queries/claim-erasures.ts';
import { deleteUser } from './queries/delete-user.ts';
import { selectErasedAccounts } from './queries/select-erased-accounts.ts';
import type { UserRow } from './users.entities.ts';

/** Dependencies of erasures. */
export interface Erasing {
  readonly database: Database;
  readonly call: Call;
  readonly logger: Logger;
}

/** DELETE waits this long for the other services; a longer erasure continues in the background. */
const patience = { timeout: 4000, retries: 0 } as const;

/**
 * Deletes a user. The user does not exist any more when this returns. Samples are tombstoned and tokens ended by then if
 * those services answer; otherwise `resumeErasures` retries, also after this process died.
 * @throws USER_NOT_FOUND (404)
 */
export async function removeUser(
  erasing: Erasing & { readonly origin: AuditOrigin; readonly accountHashes: AccountHashes },
  id: string,
): Promise<Omit<UserRow, 'deletedAt'>> {
  const user = await deleteUser(erasing.database, erasing.origin, id, erasing.accountHashes);
  if (user === null) throw userNotFound(id);
  await eraseElsewhere(erasing, id);
  return user;
}

/** Resumes unfinished deletions: a service was unavailable, or a process died. */
export async function resumeErasures(erasing: Erasing): Promise<void> {
  for (const id of await claimErasures(erasing.database)) await eraseElsewhere(erasing, id);
}

async function eraseElsewhere({ database, call, logger }: Erasing, user_id: string): Promise<void> {
  const [elsewhere, deliveries] = await Promise.all([
    callOn(call, { event: 'userErased', params: { user_id } }, patience),
    Promise.allSettled([eraseDeliveries(database, call, user_id)]),
  ]);
  const failed = [...elsewhere, ...deliveries].find((answer) => answer.status === 'rejected');
  if (failed === undefined) await markErased(database, user_id);
  else logger.warn('user.erasure_postponed', { user_id, type: fieldOf(failed.reason, 'type') });
}

// The raw deliveries of the accounts are erased too.
async function eraseDeliveries(database: Database, call: Call, userId: string): Promise<void> {
  const accounts = await selectErasedAccounts(database, userId);
  const [first] = accounts;
  if (first === undefined) return;
  const erased = accounts.map(({ provider, provider_user_id }) => ({ provider, provider_user_id }));
  await eraseAccounts(call, erased, first.deleted_at, patience);
}
