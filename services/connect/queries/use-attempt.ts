import type { Database } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { Browsers } from '../../../runtime/environment.ts';
import type { Attempt } from './insert-attempt.ts';

/**
 * An attempt whose state was returned: `fresh` for the first request only, `foreign` if it came in another browser than
 * that of its session.
 */
export type UsedAttempt = Attempt & { readonly state: 'fresh' | 'used' | 'expired' | 'foreign' };

type Row = UsedAttempt & { readonly browserHash: string | null };

const found = `
select a.state_hash as "stateHash", a.user_id as "userId", a.provider, a.redirect_uri as "redirectUri",
  a.callback_uri as "callbackUri", a.verifier, a.session_id as "sessionId",
  a.provider_client_id as "providerClientId", s.browser_hash as "browserHash",
  case when a.used_at is not null then 'used' when a.expires_at <= now() then 'expired' else 'fresh' end as state
from connect.attempt a left join connect.session s on s.id = a.session_id
where a.state_hash = $1 and a.provider = $2 for update of a`;
const used = 'update connect.attempt set used_at = now(), verifier = null where state_hash = $1';

/**
 * Consumes a state: of concurrent requests only one finds it fresh. Null if this provider has no
 * such state. In another browser than that of its session nothing is consumed. */
export function useAttempt(
  database: Database,
  stateHash: string,
  provider: ProviderName,
  browsers: Browsers = {},
): Promise<UsedAttempt | null> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query<Row>(found, [stateHash, provider]);
    if (row === undefined) return null;
    const { browserHash, ...attempt } = row;
    const { sessionId } = attempt;
    if (sessionId !== null && (browserHash === null || browsers[sessionId] !== browserHash))
      return { ...attempt, state: 'foreign' };
    if (attempt.state !== 'used') await transaction.query(used, [stateHash]);
    return attempt;
  });
}
