import { userNotFound } from '../../../domain/errors.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import type { Call } from '../../../runtime/environment.ts';
import { callOn } from '../../../runtime/lifecycle.ts';
import { type DeletionDeps, deleteUser } from '../queries/delete-user.ts';
import { markErased } from '../queries/mark-erased.ts';
import { selectErasedAccounts } from '../queries/select-erased-accounts.ts';
import type { UserRow } from '../users.entities.ts';
import { eraseAccounts } from './erase-accounts.ts';

/** An attempt waits this long for each of the other services. */
const patience = { timeout: 4000, retries: 0 } as const;

/**
 * Deletes a user. The user does not exist any more when this returns. Samples are tombstoned and tokens ended by then if
 * those services answer; otherwise the job is repeated.
 * @throws USER_NOT_FOUND (404)
 */
export async function removeUser(deps: DeletionDeps, id: string): Promise<Omit<UserRow, 'deletedAt'>> {
  const deleted = await deleteUser(deps, id);
  if (deleted === null) throw userNotFound(id);
  deps.jobs.notify();
  await deleted.erase();
  return deleted.user;
}

/** Erases a deleted user in the other services. Calls all of them, also when one fails. @throws the first failure */
export async function eraseUser(
  { database, call }: { readonly database: Database; readonly call: Call },
  user_id: string,
): Promise<JobOutcome> {
  const [elsewhere, deliveries] = await Promise.all([
    callOn(call, { event: 'userErased', params: { user_id } }, patience),
    Promise.allSettled([eraseDeliveries(database, call, user_id)]),
  ]);
  const failed = [...elsewhere, ...deliveries].find((answer) => answer.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  await markErased(database, user_id);
  return { kind: 'done' };
}

// The raw deliveries of the accounts are erased too.
async function eraseDeliveries(database: Database, call: Call, userId: string): Promise<void> {
  const accounts = await selectErasedAccounts(database, userId);
  const [first] = accounts;
  if (first === undefined) return;
  const erased = accounts.map(({ provider, provider_user_id }) => ({ provider, provider_user_id }));
  await eraseAccounts(call, erased, first.deleted_at, patience);
}
