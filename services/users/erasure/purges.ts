import type { CallingOptions } from 'moleculer';
import type { Database } from '../../../mixins/database/database.ts';
import type { JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import type { Call } from '../../../runtime/environment.ts';
import { callInOrder } from '../../../runtime/lifecycle.ts';
import { insertErasedAccounts } from '../queries/erased-accounts.ts';
import { markPurgeReported, type RequestedPurge, selectRequestedPurge } from '../queries/purges.ts';
import { selectPurgedAccounts } from '../queries/select-purged-accounts.ts';
import type { AccountHashes } from './account-hashes.ts';
import { eraseAccounts } from './erase-accounts.ts';

/** Dependencies of purges. */
export interface PurgeDeps {
  readonly database: Database;
  readonly call: Call;
  readonly accountHashes: AccountHashes;
}

const patience = { timeout: 4000, retries: 0 } as const;

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
