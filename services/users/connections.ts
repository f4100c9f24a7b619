import { randomUUID } from 'node:crypto';
import { ServiceError, userNotFound } from '../../domain/errors.ts';
import type { Instant } from '../../domain/time.ts';
import type { ProviderName } from '../../domain/wire.ts';
import type { Cipher } from '../../mixins/cipher.ts';
import type { Database } from '../../mixins/database.ts';
import type { Orm } from '../../mixins/orm.ts';
import { findPerson } from './people.ts';
import { lockPerson } from './queries/lock-person.ts';
import { revokeConnection } from './queries/revoke-connection.ts';
import { selectConnectionState } from './queries/select-connection-state.ts';
import { upsertConnection } from './queries/upsert-connection.ts';
import { Connection } from './users.entities.ts';

/** A link that exists at the provider, as it is imported. */
export interface Link {
  readonly user_id: string;
  readonly provider: ProviderName;
  readonly provider_user_id: string;
  readonly access_token?: string | undefined;
  readonly refresh_token?: string | undefined;
  readonly expires_at?: Instant | undefined;
  readonly scope: readonly string[];
}

/**
 * Makes a connection, or revives a revoked or expired one under its id.
 * @throws USER_NOT_FOUND (404), CONNECTION_EXISTS (409) when it is active
 */
export function connect(database: Database, cipher: Cipher, link: Link): Promise<Connection> {
  return database.transaction(async (transaction) => {
    // The lock makes connects of one person, and their deletion, take turns.
    if (!(await lockPerson(transaction, link.user_id))) throw userNotFound(link.user_id);
    const held = await selectConnectionState(transaction, link.user_id, link.provider);
    if (held?.status === 'active') throw new ServiceError('CONNECTION_EXISTS');
    const id = held?.id ?? randomUUID();
    const sealed = (token: string | undefined) => (token === undefined ? null : cipher.encrypt(token, id));
    return upsertConnection(transaction, {
      id,
      userId: link.user_id,
      provider: link.provider,
      providerUserId: link.provider_user_id,
      scope: [...new Set(link.scope)],
      accessToken: sealed(link.access_token),
      refreshToken: sealed(link.refresh_token),
      expiresAt: link.expires_at === undefined ? null : new Date(link.expires_at.ms),
    });
  });
}

/** A person's connections, revoked ones too, by provider. @throws USER_NOT_FOUND (404) */
export async function listConnections(orm: Orm, userId: string): Promise<Connection[]> {
  await findPerson(orm, userId);
  return orm.fork().find(Connection, { userId }, { orderBy: { provider: 'asc' } });
}

/** Revokes a connection and erases its tokens; once more is no error. @throws CONNECTION_NOT_FOUND (404) */
export async function disconnect(
  { database, orm }: { readonly database: Database; readonly orm: Orm },
  userId: string,
  provider: ProviderName,
): Promise<Connection> {
  await findPerson(orm, userId);
  await revokeConnection(database, userId, provider);
  const connection = await orm.fork().findOne(Connection, { userId, provider });
  if (connection === null) throw new ServiceError('CONNECTION_NOT_FOUND');
  return connection;
}
