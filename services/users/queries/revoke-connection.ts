import type { ProviderName } from '../../../domain/wire.ts';
import type { Queryable } from '../../../mixins/database.ts';

const revoked = `
update users.connection set status = 'revoked', access_token = null, refresh_token = null, expires_at = null,
  token_version = token_version + 1, refresh_leased_until = null, status_reason = null, updated_at = clock_timestamp()`;

/** Revokes one connection of a person and erases its tokens. Returns its id; null where none was left to revoke. */
export async function revokeConnection(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<string | null> {
  const statement = `${revoked} where user_id = $1 and provider = $2 and status <> 'revoked' returning id`;
  const [row] = await database.query<{ id: string }>(statement, [userId, provider]);
  return row?.id ?? null;
}

/** Revokes all connections of a person; their tokens are erased. */
export async function revokeConnections(database: Queryable, userId: string): Promise<void> {
  await database.query(`${revoked} where user_id = $1`, [userId]);
}
