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
  const statement = `${revoked} where user_id = $1 and provider = $2
    and (status <> 'revoked' or access_token is not null or refresh_token is not null) returning id`;
  const ids = idsOf(await database.query<Revoked>(statement, [userId, provider]));
  await closeEndings(database, ids);
  return ids[0] ?? null;
}

/** Revokes all connections of a user and erases their tokens. */
export async function revokeConnections(database: Queryable, userId: string): Promise<void> {
  const rows = await database.query<Revoked>(`${revoked} where user_id = $1 returning id`, [userId]);
  await closeEndings(database, idsOf(rows));
}

interface Revoked {
  id: string;
}
const idsOf = (rows: readonly Revoked[]) => rows.map(({ id }) => id);

const closed = `
with released as (delete from users.held_delivery where connection_id = any($1::uuid[]))
update users.access_check set ending = null, permissions_since = null where connection_id = any($1::uuid[])`;

/** Closes the checks of connections that ended for good and releases their held deliveries. */
export async function closeEndings(database: Queryable, connectionIds: readonly string[]): Promise<void> {
  if (connectionIds.length > 0) await database.query(closed, [connectionIds]);
}
