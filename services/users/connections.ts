import { ServiceError, userNotFound } from '../../domain/errors.ts';
import type { ProviderName } from '../../domain/wire.ts';
import type { Database } from '../../mixins/database.ts';
import type { Call } from '../../mixins/environment.ts';
import type { Orm } from '../../mixins/orm.ts';
import { findPerson } from './people.ts';
import { insertFarewells } from './queries/farewells.ts';
import { lockPerson } from './queries/lock-person.ts';
import { type WantedPurge, wantPurge } from './queries/purges.ts';
import { revokeConnection } from './queries/revoke-connection.ts';
import { Connection } from './users.entities.ts';

/** A person's connections, revoked ones too, by provider. @throws USER_NOT_FOUND (404) */
export async function listConnections(orm: Orm, userId: string): Promise<Connection[]> {
  await findPerson(orm, userId);
  return orm.fork().find(Connection, { userId }, { orderBy: { provider: 'asc' } });
}

/** One of a person's connections. @throws USER_NOT_FOUND (404), CONNECTION_NOT_FOUND (404) */
export async function findConnection(orm: Orm, userId: string, provider: ProviderName): Promise<Connection> {
  await findPerson(orm, userId);
  const connection = await orm.fork().findOne(Connection, { userId, provider });
  if (connection === null) throw new ServiceError('CONNECTION_NOT_FOUND');
  return connection;
}

/**
 * Revokes a connection and erases its tokens; once more is no error. The provider is told behind it. With `purge` the
 * data that came through it is wanted gone: also when the connection ended before.
 * @throws USER_NOT_FOUND (404), CONNECTION_NOT_FOUND (404)
 */
export function disconnect(
  database: Database,
  userId: string,
  provider: ProviderName,
  isPurge: boolean,
): Promise<WantedPurge | undefined> {
  return database.transaction(async (transaction) => {
    if (!(await lockPerson(transaction, userId))) throw userNotFound(userId);
    await insertFarewells(transaction, userId, provider);
    await revokeConnection(transaction, userId, provider);
    return isPurge ? wantPurge(transaction, userId, provider) : undefined;
  });
}

/** Ends what is fetched for a connection at once, where the services are there; they would find out at the next request. */
export async function stopBackfill(call: Call, connection_id: string): Promise<void> {
  const patience = { timeout: 1000, retries: 0 };
  await Promise.allSettled([
    call('backfill.stop', { connection_id }, patience),
    call('activitynet-ingest.stopConnection', { connection_id }, patience),
  ]);
}
