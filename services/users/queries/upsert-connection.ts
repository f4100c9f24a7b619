import type { Queryable } from '../../../mixins/database/database.ts';
import type { Connection } from '../users.entities.ts';

/** The values of a new or reactivated connection; the tokens are ciphertext. */
export type NewConnection = Pick<Connection, 'id' | 'userId' | 'provider' | 'providerUserId' | 'scope'> & {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
  readonly expiresAt: Date | null;
  /** The client that the tokens were issued to. Null: that of the installation. */
  readonly providerClientId: string | null;
};

// connected_at, by the database's clock, separates deliveries before the link from those after it. A renewed consent to
// an active connection keeps it: otherwise the retry of an earlier delivery would skip the user. With another OAuth client it is a new connection: its subscriptions begin anew.
const statement = `
insert into users.connection as held (id, user_id, provider, provider_user_id, status, scope, access_token,
  refresh_token, expires_at, provider_client_id, created_at, updated_at, connected_at)
values ($1, $2, $3, $4, 'active', $5, $6, $7, $8, $9, clock_timestamp(), clock_timestamp(), clock_timestamp())
on conflict (user_id, provider) do update set provider_user_id = excluded.provider_user_id, status = 'active',
  scope = excluded.scope, access_token = excluded.access_token, refresh_token = excluded.refresh_token,
  previous_refresh_token = null, expires_at = excluded.expires_at,
  provider_client_id = excluded.provider_client_id, updated_at = excluded.updated_at,
  connected_at = case when held.provider_user_id = excluded.provider_user_id
      and held.provider_client_id is not distinct from excluded.provider_client_id
      and held.status = 'active'
    then held.connected_at else excluded.connected_at end,
  scope_changed_at = case when held.provider_user_id = excluded.provider_user_id then held.scope_changed_at end,
  privacy = case when held.provider_user_id = excluded.provider_user_id then held.privacy end,
  privacy_changed_at = case when held.provider_user_id = excluded.provider_user_id then held.privacy_changed_at end,
  token_version = held.token_version + 1, refresh_leased_until = null, status_reason = null,
  refresh_failing_since = null, purge = null
returning id, user_id as "userId", provider, provider_user_id as "providerUserId", status, scope,
  access_token as "accessToken", refresh_token as "refreshToken", expires_at as "expiresAt",
  created_at as "createdAt", updated_at as "updatedAt", connected_at as "connectedAt",
  last_synced_at as "lastSyncedAt", privacy`;

/** Inserts the connection or overwrites the existing one. */
export async function upsertConnection(transaction: Queryable, made: NewConnection): Promise<Connection> {
  const values = [
    made.id,
    made.userId,
    made.provider,
    made.providerUserId,
    made.scope,
    made.accessToken,
    made.refreshToken,
    made.expiresAt,
    made.providerClientId,
  ];
  const [row] = await transaction.query<Connection>(statement, values);
  if (row === undefined) throw new Error('the connection was not written');
  return row;
}
