import type { ProviderName } from '../../../domain/wire.ts';
import type { Queryable } from '../../../mixins/database.ts';

const revoked = `
update users.connection set status = 'revoked', access_token = null, refresh_token = null, expires_at = null,
  token_version = token_version + 1, refresh_leased_until = null, status_reason = null, updated_at = clock_timestamp()`;

/** Revokes one connection of a person, unless it is revoked already; its tokens are erased. */
export async function revokeConnection(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<void> {
  const statement = `${revoked} where user_id = $1 and provider = $2 and status <> 'revoked'`;
  await database.query(statement, [userId, provider]);
}

/** Revokes all connections of a person; their tokens are erased. */
export async function revokeConnections(database: Queryable, userId: string): Promise<void> {
  await database.query(`${revoked} where user_id = $1`, [userId]);
}
