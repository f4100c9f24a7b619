import type { CallingOptions, Logger } from 'moleculer';
import type { Database } from '../../mixins/database.ts';
import type { Call } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import { callInOrder } from '../../runtime/lifecycle.ts';
import type { AccountHashes } from './account-hashes.ts';
import { eraseAccounts } from './erase-accounts.ts';
import { insertErasedAccounts } from './queries/erased-accounts.ts';
import {
  isStillRequested,
  markPurgeReported,
  type RequestedPurge,
  selectRequestedPurges,
} from './queries/purges.ts';
import { selectPurgedAccounts } from './queries/select-purged-accounts.ts';

/** Dependencies of purges. */
export interface Purging {
  readonly database: Database;
  readonly call: Call;
  readonly logger: Logger;
  readonly accountHashes: AccountHashes;
}

const patience = { timeout: 4000, retries: 0 } as const;

/** Erases the data of a connection. If a service is unavailable, `resumePurges` retries. */
export async function purge(purging: Purging, wanted: RequestedPurge): Promise<void> {
  const { user_id, provider } = wanted;
  try {
    if (await isStillRequested(purging.database, wanted)) {
      await carryOut(purging.call, wanted, patience);
      await purgeDeliveries(purging, wanted);
    }
    await markPurgeReported(purging.database, wanted);
  } catch (error) {
    purging.logger.warn('purge.postponed', { user_id, provider, code: codeOf(error) });
  }
}

// The raw deliveries of the account are erased too.
async function purgeDeliveries(
  { database, call, accountHashes }: Purging,
  wanted: RequestedPurge,
): Promise<void> {
  const { provider, connection_id } = wanted;
  const ids = await selectPurgedAccounts(database, connection_id);
  const accounts = ids.map((provider_user_id) => ({ provider, provider_user_id }));
  await insertErasedAccounts(database, accountHashes, accounts);
  await eraseAccounts(call, accounts, new Date(), patience);
}

/** Resumes unfinished purges: a service was unavailable, or a process died. */
export async function resumePurges(purging: Purging): Promise<void> {
  for (const wanted of await selectRequestedPurges(purging.database)) await purge(purging, wanted);
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
