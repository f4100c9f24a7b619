import type { CallingOptions } from 'moleculer';
import type { ProviderName } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';

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
