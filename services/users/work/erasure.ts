import type { CallingOptions } from 'moleculer';
import { isError, userNotFound } from '../../../domain/errors.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import type { FirstAttempt, Jobs } from '../../../mixins/jobs/jobs.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import { callInOrder, callOn } from '../../../runtime/lifecycle.ts';
import type { AccountHashes } from '../rules/account-hashes.ts';
import { erasureKind } from '../rules/job-kinds.ts';
import {
  insertErasedAccounts,
  markErased,
  selectErasedAccounts,
  selectPurgedAccounts,
} from '../tables/accounts.ts';
import { revokeConnections } from '../tables/connections.ts';
import type { UserRow } from '../tables/entities.ts';
import { isClosed } from '../tables/projects.ts';
import { markPurgeReported, type RequestedPurge, selectRequestedPurge } from '../tables/purges.ts';
import { enqueueTokenRevocations } from '../tables/token-revocations.ts';
import { emptyUser, lockUser, selectUsersInProject } from '../tables/users.ts';

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

/** Dependencies of a deletion. */
interface DeletionDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly origin: AuditOrigin;
  readonly accountHashes: AccountHashes;
}

/**
 * Hides a user, empties the row, revokes the connections, stores hashes of their accounts and enqueues the erasure in
 * the other services, in one transaction. Null if there is no such user. The row stays until that erasure is finished.
 */
function deleteUser(
  { database, jobs, origin, accountHashes }: DeletionDeps,
  id: string,
): Promise<{ readonly user: Omit<UserRow, 'deletedAt'>; readonly erase: FirstAttempt } | null> {
  return database.transaction(async (transaction) => {
    const user = await lockUser(transaction, id);
    if (user === null) return null;
    await emptyUser(transaction, id);
    await insertErasedAccounts(transaction, accountHashes, await selectErasedAccounts(transaction, id));
    await enqueueTokenRevocations(transaction, id, null);
    await revokeConnections(transaction, id);
    await recordAudit(transaction, origin, { action: 'user.deleted', userId: id });
    return { user, erase: await jobs.enqueueLeased(transaction, erasureKind, { key: id, payload: {} }) };
  });
}

/** Deletes some users of a closed project, one after the other. Returns their number: 0 if there are none left. */
export async function removeSome(deps: DeletionDeps, project: string, limit: number): Promise<number> {
  const { database } = deps;
  if (!(await isClosed(database, project))) return 0;
  const ids = await selectUsersInProject(database, project, null, limit);
  for (const id of ids) await removeOne(deps, id);
  return ids.length;
}

// A request may delete the same user.
async function removeOne(deps: DeletionDeps, id: string): Promise<void> {
  try {
    await removeUser(deps, id);
  } catch (error) {
    if (!isError(error, 'USER_NOT_FOUND')) throw error;
  }
}

/** Dependencies of purges. */
export interface PurgeDeps {
  readonly database: Database;
  readonly call: Call;
  readonly accountHashes: AccountHashes;
}

/** Erases the data of a connection, unless the account was connected again since. @throws what a service throws */
export async function purgeConnection(deps: PurgeDeps, connectionId: string): Promise<JobOutcome> {
  const wanted = await selectRequestedPurge(deps.database, connectionId);
  if (wanted === undefined) return { kind: 'done' };
  await carryOut(deps.call, wanted, patience);
  await purgeDeliveries(deps, wanted);
  await markPurgeReported(deps.database, wanted);
  return { kind: 'done' };
}

// The raw deliveries of the account are erased too.
async function purgeDeliveries(
  { database, call, accountHashes }: PurgeDeps,
  { provider, connection_id }: RequestedPurge,
): Promise<void> {
  const ids = await selectPurgedAccounts(database, connection_id);
  const accounts = ids.map((provider_user_id) => ({ provider, provider_user_id }));
  await insertErasedAccounts(database, accountHashes, accounts);
  await eraseAccounts(call, accounts, new Date(), patience);
}

/** Allows ingestion again after a purge. A purge that is not finished is carried out first. */
export async function reopen(call: Call, purged: Omit<RequestedPurge, 'connection_id'>): Promise<void> {
  const { user_id, provider, version } = purged;
  await carryOut(call, purged, {});
  await call('timeseries.reopen', { user_id, provider, version });
}

// timeseries comes first: it refuses the provider's data before an ingest service forgets that it has fetched any.
async function carryOut(
  call: Call,
  { user_id, provider, version }: Omit<RequestedPurge, 'connection_id'>,
  options: CallingOptions,
): Promise<void> {
  const params = { user_id, provider, version };
  await callInOrder(call, { event: 'connectionPurged', params, provider }, options);
}

/** The maximum number of accounts per call, as in the contract. */
const perCall = 100;

/** Empties all deliveries that mention accounts and were received until an instant. Idempotent. */
export async function eraseAccounts(
  call: Call,
  accounts: readonly { readonly provider: ProviderName; readonly provider_user_id: string }[],
  until: Date,
  options: CallingOptions,
): Promise<void> {
  const erased_at = until.toISOString();
  for (let from = 0; from < accounts.length; from += perCall)
    await call(
      'deliveries.eraseAccounts',
      { erased_at, accounts: accounts.slice(from, from + perCall) },
      options,
    );
}
