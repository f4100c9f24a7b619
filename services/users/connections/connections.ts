import { ServiceError, userNotFound } from '../../../domain/errors.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { FirstAttempt, Jobs } from '../../../mixins/jobs/jobs.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import { callOn } from '../../../runtime/lifecycle.ts';
import { purgeKind } from '../job-kinds.ts';
import { lockUser } from '../queries/lock-user.ts';
import { requestPurge } from '../queries/purges.ts';
import { revokeConnection } from '../queries/revoke-connection.ts';
import { type ShownConnection, selectConnections } from '../queries/select-connections.ts';
import { enqueueTokenRevocations } from '../queries/token-revocations.ts';

/** One of a user's connections. @throws USER_NOT_FOUND (404), CONNECTION_NOT_FOUND (404) */
export async function findConnection(
  database: Database,
  userId: string,
  provider: ProviderName,
): Promise<ShownConnection> {
  const connections = await selectConnections(database, userId);
  const connection = connections.find((one) => one.provider === provider);
  if (connection === undefined) throw new ServiceError('CONNECTION_NOT_FOUND');
  return connection;
}

/** The connection to end. `purge`: its data is erased too. */
export interface Disconnecting {
  readonly user_id: string;
  readonly provider: ProviderName;
  readonly purge: boolean;
}

interface DisconnectDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly origin: AuditOrigin;
}

/**
 * Revokes a connection and erases its tokens; a repeated call is no error. The token is revoked at the provider in the
 * background. With `purge`, the data of the connection is erased, also if the connection ended before: returns the first
 * attempt.
 * @throws USER_NOT_FOUND (404), CONNECTION_NOT_FOUND (404)
 */
export function disconnect(
  { database, jobs, origin }: DisconnectDeps,
  { user_id, provider, purge }: Disconnecting,
): Promise<FirstAttempt | undefined> {
  return database.transaction(async (transaction) => {
    if (!(await lockUser(transaction, user_id))) throw userNotFound(user_id);
    await enqueueTokenRevocations(transaction, user_id, provider);
    await transaction.query('select connect.withdraw_consents($1, $2)', [user_id, provider]);
    const entry = { userId: user_id, details: { provider } };
    const subjectId = await revokeConnection(transaction, user_id, provider);
    if (subjectId !== null)
      await recordAudit(transaction, origin, { ...entry, action: 'connection.revoked', subjectId });
    const wanted = purge ? await requestPurge(transaction, user_id, provider) : undefined;
    if (wanted === undefined) return undefined;
    const { connection_id: key } = wanted;
    const requested = { action: 'connection.purge_requested', subjectId: key } as const;
    await recordAudit(transaction, origin, { ...entry, ...requested });
    return jobs.enqueueLeased(transaction, purgeKind, { key, payload: {} });
  });
}

/** Stops the fetching for a connection. A service that is unavailable now stops at its next request. */
export async function stopBackfill(call: Call, connection_id: string): Promise<void> {
  const patience = { timeout: 1000, retries: 0 };
  await callOn(call, { event: 'connectionEnded', params: { connection_id } }, patience);
}
