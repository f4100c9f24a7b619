import { userNotFound } from '../../../domain/errors.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { Connection } from '../users.entities.ts';

/** A connection as it is shown. */
export type ShownConnection = Omit<Connection, 'refreshToken' | 'connectedAt'>;

const statement: Statement = {
  name: 'users-select-connections',
  shared: true,
  text: `
    select c.id, c.user_id as "userId", c.provider, c.provider_user_id as "providerUserId", c.status, c.scope,
      c.access_token as "accessToken", c.expires_at as "expiresAt", c.created_at as "createdAt",
      c.updated_at as "updatedAt", c.last_synced_at as "lastSyncedAt", c.privacy
    from users.person p left join users.connection c on c.user_id = p.id
    where p.id = $1 and p.deleted_at is null order by c.provider`,
};

/** A user's connections by provider, including revoked ones. @throws USER_NOT_FOUND (404) */
export async function selectConnections(database: Queryable, userId: string): Promise<ShownConnection[]> {
  const rows = await database.query<ShownConnection & { id: string | null }>(statement, [userId]);
  if (rows.length === 0) throw userNotFound(userId);
  return rows.filter(({ id }) => id !== null);
}
