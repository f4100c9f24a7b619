import type { Database } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { AccountHashes } from '../erasure/account-hashes.ts';
import { selectErasedAmong } from '../queries/erased-accounts.ts';
import { type ActiveConnectionRow, selectActiveConnections } from '../queries/select-active-connections.ts';

interface Resolving {
  readonly database: Database;
  readonly call: Call;
  readonly accountHashes: AccountHashes;
}

/** The accounts to look up and the delivery that names them. */
export interface Question {
  readonly provider: ProviderName;
  readonly provider_user_ids: readonly string[];
  readonly delivery_id?: string | undefined;
}

/**
 * The active connections of provider accounts. Items of erased accounts are removed from the delivery after it is
 * processed.
 */
export async function resolveAccounts(
  { database, call, accountHashes }: Resolving,
  { provider, provider_user_ids, delivery_id }: Question,
): Promise<ActiveConnectionRow[]> {
  const found = await selectActiveConnections(database, provider, provider_user_ids);
  if (delivery_id === undefined) return found;
  const connected = new Set(found.map(({ provider_user_id }) => provider_user_id));
  const others = provider_user_ids.filter((id) => !connected.has(id));
  const erased = await selectErasedAmong(database, accountHashes, provider, others);
  // Without this call the data of erased accounts stays in the delivery, so a failure makes the delivery be retried.
  if (erased.length > 0)
    await call('deliveries.eraseFromDelivery', { delivery_id, provider_user_ids: erased });
  return found;
}
