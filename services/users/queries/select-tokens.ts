import type { StoredTokens } from '../../../contracts/users.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A connection's tokens with their version; ciphertext. */
export type TokensRow = Omit<StoredTokens, 'connected_at' | 'expires_at'> & {
  readonly connected_at: Date;
  readonly expires_at: Date | null;
};

// A deleted user has no tokens, also while the row waits for its erasure.
const statement = `
select c.id as connection_id, c.status, c.connected_at, c.token_version as version, c.access_token,
  c.refresh_token, c.previous_refresh_token, c.expires_at,
  case when c.provider_client_id is not null
    then json_build_object('id', c.provider_client_id, 'client_id', coalesce(k.client_id, ''),
      'client_secret', k.client_secret) end as client
from users.connection c join users.person p on p.id = c.user_id
left join users.provider_client k on k.id = c.provider_client_id
where c.user_id = $1 and c.provider = $2 and p.deleted_at is null`;

/** The tokens of a user's connection to a provider; null when there is none. */
export async function selectTokens(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<TokensRow | null> {
  const [row] = await database.query<TokensRow>(statement, [userId, provider]);
  return row ?? null;
}
