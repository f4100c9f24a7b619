import { ServiceError, userNotFound } from '../../domain/errors.ts';
import { recordAudit } from '../../mixins/audit.ts';
import type { Database } from '../../mixins/database.ts';
import type { Orm } from '../../mixins/orm.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import type { Call } from '../../runtime/environment.ts';
import { callOn } from '../../runtime/lifecycle.ts';
import { findPerson } from './people.ts';
import { lockPerson } from './queries/lock-person.ts';
import { type WantedPurge, wantPurge } from './queries/purges.ts';
import { revokeConnection } from './queries/revoke-connection.ts';
import { insertTokenRevocations } from './queries/token-revocations.ts';
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

/** Which connection is to end, and whether its data is to go with it. */
export interface Disconnecting {
  readonly user_id: string;
  readonly provider: ProviderName;
  readonly purge: boolean;
}

/**
 * Revokes a connection and erases its tokens; once more is no error. The provider is told behind it. With `purge` the
 * data that came through it is wanted gone: also when the connection ended before.
 * @throws USER_NOT_FOUND (404), CONNECTION_NOT_FOUND (404)
 */
export function disconnect(
  database: Database,
  origin: AuditOrigin,
  { user_id, provider, purge }: Disconnecting,
): Promise<WantedPurge | undefined> {
  return database.transaction(async (transaction) => {
    if (!(await lockPerson(transaction, user_id))) throw userNotFound(user_id);
    await insertTokenRevocations(transaction, user_id, provider);
    const entry = { userId: user_id, details: { provider } };
    const subjectId = await revokeConnection(transaction, user_id, provider);
    if (subjectId !== null)
      await recordAudit(transaction, origin, { ...entry, action: 'connection.revoked', subjectId });
    const wanted = purge ? await wantPurge(transaction, user_id, provider) : undefined;
    if (wanted !== undefined) {
      const requested = { action: 'connection.purge_requested', subjectId: wanted.connection_id } as const;
      await recordAudit(transaction, origin, { ...entry, ...requested });
    }
    return wanted;
  });
}

/** Ends what is fetched for a connection at once, where the services are there; they would find out at the next request. */
export async function stopBackfill(call: Call, connection_id: string): Promise<void> {
  const patience = { timeout: 1000, retries: 0 };
  await callOn(call, { event: 'connectionEnded', params: { connection_id } }, patience);
}
