import { firstRow, type Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A connection whose data is to be purged; `version` identifies the request. */
export interface RequestedPurge {
  connection_id: string;
  user_id: string;
  provider: ProviderName;
  version: number;
}

const columns = `id as connection_id, user_id, provider, token_version as version`;

/** Requests the purge of a connection that ended; undefined if it is active or does not exist. */
export function requestPurge(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<RequestedPurge | undefined> {
  const statement = `
    update users.connection set purge = 'wanted', token_version = token_version + 1
    where user_id = $1 and provider = $2 and status <> 'active' returning ${columns}`;
  return firstRow(database, statement, [userId, provider]);
}

/** The purge of a connection that is requested and not carried out. Undefined if the account was connected again. */
export function selectRequestedPurge(
  database: Queryable,
  connectionId: string,
): Promise<RequestedPurge | undefined> {
  const statement = `select ${columns} from users.connection where id = $1 and purge = 'wanted'`;
  return firstRow(database, statement, [connectionId]);
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
