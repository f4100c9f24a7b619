import type { Database } from '../../../mixins/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { Attempt } from './insert-attempt.ts';

/** An attempt whose state was returned: `fresh` for the first request only. */
export type UsedAttempt = Attempt & { readonly state: 'fresh' | 'used' | 'expired' };

const found = `
select state_hash as "stateHash", user_id as "userId", provider, redirect_uri as "redirectUri",
  callback_uri as "callbackUri", verifier,
  case when used_at is not null then 'used' when expires_at <= now() then 'expired' else 'fresh' end as state
from connect.attempt where state_hash = $1 and provider = $2 for update`;
const used = 'update connect.attempt set used_at = now(), verifier = null where state_hash = $1';

/** Consumes a state: of concurrent requests only one finds it fresh. Null if this provider has no such state. */
export function useAttempt(
  database: Database,
  stateHash: string,
  provider: ProviderName,
): Promise<UsedAttempt | null> {
  return database.transaction(async (transaction) => {
    const [attempt] = await transaction.query<UsedAttempt>(found, [stateHash, provider]);
    if (attempt === undefined) return null;
    if (attempt.state !== 'used') await transaction.query(used, [stateHash]);
    return attempt;
  });
}
