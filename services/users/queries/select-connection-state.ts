import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { Connection } from '../users.entities.ts';

/** The state of a user's connection: `version` changes with its tokens, `purge` is set once its data is to be purged. */
export type ConnectionState = Pick<Connection, 'id' | 'status' | 'providerUserId'> & {
  readonly version: number;
  readonly purge: 'wanted' | 'told' | null;
  readonly reason: string | null;
  readonly providerClientId: string | null;
};

/** The state of a user's connection to a provider; null if there is none. */
export async function selectConnectionState(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<ConnectionState | null> {
  const statement = `
    select id, status, provider_user_id as "providerUserId", token_version as version, purge, status_reason as reason,
      provider_client_id as "providerClientId"
    from users.connection where user_id = $1 and provider = $2`;
  const [row] = await database.query<ConnectionState>(statement, [userId, provider]);
  return row ?? null;
}
