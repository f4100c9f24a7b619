import type { CallingOptions, Logger } from 'moleculer';
import type { Database } from '../../mixins/database.ts';
import { codeOf } from '../../mixins/inbox-worker.ts';
import type { Call } from '../../runtime/environment.ts';
import { callOn } from '../../runtime/lifecycle.ts';
import type { AccountHashes } from './account-hashes.ts';
import { eraseAccounts } from './erase-accounts.ts';
import { insertErasedAccounts } from './queries/erased-accounts.ts';
import { isStillWanted, markPurgeTold, selectWantedPurges, type WantedPurge } from './queries/purges.ts';
import { selectPurgedAccounts } from './queries/select-purged-accounts.ts';

/** What having data purged takes. */
export interface Purging {
  readonly database: Database;
  readonly call: Call;
  readonly logger: Logger;
  readonly accountHashes: AccountHashes;
}

const patience = { timeout: 4000, retries: 0 } as const;

/** Has the data of a connection taken away; where a service is away, `resumePurges` sees to it. */
export async function purge(purging: Purging, wanted: WantedPurge): Promise<void> {
  const { user_id, provider } = wanted;
  try {
    if (await isStillWanted(purging.database, wanted)) {
      await carryOut(purging.call, wanted, patience);
      await purgeDeliveries(purging, wanted);
    }
    await markPurgeTold(purging.database, wanted);
  } catch (error) {
    purging.logger.warn('purge.postponed', { user_id, provider, code: codeOf(error) });
  }
}

// What the provider sent for the account, as it came, goes too.
async function purgeDeliveries(
  { database, call, accountHashes }: Purging,
  wanted: WantedPurge,
): Promise<void> {
  const { provider, connection_id } = wanted;
  const ids = await selectPurgedAccounts(database, connection_id);
  const accounts = ids.map((provider_user_id) => ({ provider, provider_user_id }));
  await insertErasedAccounts(database, accountHashes, accounts);
  await eraseAccounts(call, accounts, new Date(), patience);
}

/** Takes up purges that nobody was told of: a service was away, or a process died in the middle. */
export async function resumePurges(purging: Purging): Promise<void> {
  for (const wanted of await selectWantedPurges(purging.database)) await purge(purging, wanted);
}

/** Has data taken again, after a purge that is carried out first if it was not yet. */
export async function reopen(call: Call, purged: Omit<WantedPurge, 'connection_id'>): Promise<void> {
  const { user_id, provider, version } = purged;
  await carryOut(call, purged, {});
  await call('timeseries.reopen', { user_id, provider, version });
}

async function carryOut(
  call: Call,
  { user_id, provider, version }: Omit<WantedPurge, 'connection_id'>,
  options: CallingOptions,
): Promise<void> {
  const params = { user_id, provider, version };
  const answers = await callOn(call, { event: 'connectionPurged', params, provider }, options);
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
}
