import type { ProviderName } from '../../../domain/wire.ts';
import type { Queryable } from '../../../mixins/database.ts';
import type { Connection } from '../users.entities.ts';

/** Which connection a person has to a provider, and its status; null when there never was one. */
export async function selectConnectionState(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<Pick<Connection, 'id' | 'status'> | null> {
  const statement = 'select id, status from users.connection where user_id = $1 and provider = $2';
  const [row] = await database.query<Pick<Connection, 'id' | 'status'>>(statement, [userId, provider]);
  return row ?? null;
}
