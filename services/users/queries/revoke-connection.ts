import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

const revoked = `
update users.connection set status = 'revoked', access_token = null, refresh_token = null, previous_refresh_token = null, expires_at = null,
  token_version = token_version + 1, refresh_leased_until = null, status_reason = null, updated_at = clock_timestamp()`;

/** Revokes one connection of a user and erases its tokens. Returns its id; null if there was nothing to revoke. */
export async function revokeConnection(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<string | null> {
  const statement = `${revoked} where user_id = $1 and provider = $2 and status <> 'revoked' returning id`;
  const [row] = await database.query<{ id: string }>(statement, [userId, provider]);
  return row?.id ?? null;
}

/** Revokes all connections of a user and erases their tokens. */
export async function revokeConnections(database: Queryable, userId: string): Promise<void> {
  await database.query(`${revoked} where user_id = $1`, [userId]);
}

/** Revokes an active connection and erases its tokens. Returns its provider; null if it is not active. */
export async function revokeActive(database: Queryable, connectionId: string): Promise<ProviderName | null> {
  const statement = `${revoked} where id = $1 and status = 'active' returning provider`;
  const [row] = await database.query<{ provider: ProviderName }>(statement, [connectionId]);
  return row?.provider ?? null;
}
