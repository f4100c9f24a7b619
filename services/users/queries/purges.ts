import type { Queryable } from '../../../mixins/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A connection whose data is to be purged; `version` identifies the request. */
export interface RequestedPurge {
  connection_id: string;
  user_id: string;
  provider: ProviderName;
  version: number;
}

const one = `id as connection_id, user_id, provider, token_version as version`;

/** Requests the purge of a connection that ended; undefined if it is active or does not exist. */
export async function requestPurge(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<RequestedPurge | undefined> {
  const statement = `
    update users.connection set purge = 'wanted', token_version = token_version + 1
    where user_id = $1 and provider = $2 and status <> 'active' returning ${one}`;
  const [row] = await database.query<RequestedPurge>(statement, [userId, provider]);
  return row;
}

/** Up to 100 purges that are requested and not carried out yet. */
export function selectRequestedPurges(database: Queryable): Promise<RequestedPurge[]> {
  return database.query<RequestedPurge>(
    `select ${one} from users.connection where purge = 'wanted' order by updated_at limit 100`,
  );
}

/** Whether the request is still current: the account was not connected or purged again since. */
export async function isStillRequested(
  database: Queryable,
  { connection_id, version }: RequestedPurge,
): Promise<boolean> {
  const statement = `select from users.connection where id = $1 and token_version = $2 and purge = 'wanted'`;
  return (await database.query(statement, [connection_id, version])).length > 0;
}

/** Marks a purge as carried out by the other services. */
export async function markPurgeReported(
  database: Queryable,
  { connection_id, version }: RequestedPurge,
): Promise<void> {
  await database.query(
    `update users.connection set purge = 'told' where id = $1 and token_version = $2 and purge = 'wanted'`,
    [connection_id, version],
  );
}
