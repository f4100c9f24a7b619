import type { CallingOptions } from 'moleculer';
import type { ProviderName } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';

/** As many as the contract takes in one call. */
const perCall = 100;

/** Has the items of accounts taken out of the deliveries that came until an instant; a repetition changes nothing. */
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
