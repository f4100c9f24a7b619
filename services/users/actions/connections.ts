import type { Connection, StoredTokens, users } from '../../../contracts/users.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError, userNotFound } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { FirstAttempt, Jobs } from '../../../mixins/jobs/jobs.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import { callOn } from '../../../runtime/lifecycle.ts';
import type { AccountHashes } from '../rules/account-hashes.ts';
import { purgeKind } from '../rules/job-kinds.ts';
import { selectErasedAmong } from '../tables/accounts.ts';
import {
  type ActiveConnectionRow,
  revokeActive,
  revokeConnection,
  type ShownConnection,
  selectActiveConnections,
  selectConnections,
} from '../tables/connections.ts';
import { requestPurge } from '../tables/purges.ts';
import { enqueueTokenRevocations } from '../tables/token-revocations.ts';
import { selectTokens } from '../tables/tokens.ts';
import { lockUser, selectUser } from '../tables/users.ts';

/** The wire format of a connection's row, without the tokens. */
export function toConnection(row: ShownConnection): Connection {
  return {
    id: row.id,
    user_id: row.userId,
    provider: row.provider,
    provider_user_id: row.providerUserId,
    region: row.region ?? null,
    status: row.status,
    scope: row.scope,
    created_at: formatInstant(row.createdAt.getTime()),
    updated_at: formatInstant(row.updatedAt.getTime()),
    last_synced_at: row.lastSyncedAt ? formatInstant(row.lastSyncedAt.getTime()) : null,
    access_expires_at: row.accessToken ? instantOrNull(row.expiresAt ?? null) : null,
    privacy: row.privacy ?? null,
  };
}

/** One of a user's connections. @throws USER_NOT_FOUND (404), CONNECTION_NOT_FOUND (404) */
export async function findConnection(
  database: Database,
  userId: string,
  provider: ProviderName,
): Promise<ShownConnection> {
  const connections = await selectConnections(database, userId);
  const connection = connections.find((row) => row.provider === provider);
  if (connection === undefined) throw new ServiceError('CONNECTION_NOT_FOUND');
  return connection;
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
  { user_id, provider, purge }: ParamsOf<typeof users, 'disconnect'>,
): Promise<FirstAttempt | undefined> {
  return database.transaction(async (transaction) => {
    if (!(await lockUser(transaction, user_id))) throw userNotFound(user_id);
    await enqueueTokenRevocations(transaction, user_id, provider);
    await transaction.query('select connect.withdraw_consents($1, $2)', [user_id, provider]);
    const entry = { userId: user_id, details: { provider } };
    const subjectId = await revokeConnection(transaction, user_id, provider);
    if (subjectId !== null)
      await recordAudit(transaction, origin, { ...entry, action: 'connection.revoked', subjectId });
    const purged = purge ? await requestPurge(transaction, user_id, provider) : undefined;
    if (purged === undefined) return undefined;
    const { connection_id: key } = purged;
    await recordAudit(transaction, origin, {
      ...entry,
      action: 'connection.purge_requested',
      subjectId: key,
    });
    return jobs.enqueueLeased(transaction, purgeKind, { key, payload: {} });
  });
}

/** Has the data of an imported connection read. A service that is unavailable now finds the connection within minutes. */
export async function beginReading(call: Call, { user_id, provider }: Connection): Promise<void> {
  const patience = { timeout: 1000, retries: 0 };
  await callOn(call, { event: 'connectionImported', params: { user_id, provider }, provider }, patience);
}

/** Stops the fetching for a connection. A service that is unavailable now stops at its next request. */
export async function stopBackfill(call: Call, connection_id: string): Promise<void> {
  const patience = { timeout: 1000, retries: 0 };
  await callOn(call, { event: 'connectionEnded', params: { connection_id } }, patience);
}

/** A connection's tokens, as ciphertext. @throws USER_NOT_FOUND (404), CONNECTION_NOT_FOUND (404) */
export async function findTokens(
  { database }: { readonly database: Database },
  userId: string,
  provider: ProviderName,
): Promise<StoredTokens> {
  const row = await selectTokens(database, userId, provider);
  if (row === null) {
    await selectUser(database, userId);
    throw new ServiceError('CONNECTION_NOT_FOUND');
  }
  return {
    ...row,
    connected_at: formatInstant(row.connected_at.getTime()),
    expires_at: instantOrNull(row.expires_at),
  };
}

interface Resolving {
  readonly database: Database;
  readonly call: Call;
  readonly accountHashes: AccountHashes;
}

/**
 * The active connections of provider accounts. Items of erased accounts are removed from the delivery after it is
 * processed.
 */
export async function resolveAccounts(
  { database, call, accountHashes }: Resolving,
  { provider, provider_user_ids, delivery_id }: ParamsOf<typeof users, 'resolve'>,
): Promise<ActiveConnectionRow[]> {
  const connections = await selectActiveConnections(database, provider, provider_user_ids);
  if (delivery_id === undefined) return connections;
  const connected = new Set(connections.map(({ provider_user_id }) => provider_user_id));
  const others = provider_user_ids.filter((id) => !connected.has(id));
  const erased = await selectErasedAmong(database, accountHashes, provider, others);
  // Without this call the data of erased accounts stays in the delivery, so a failure makes the delivery be retried.
  if (erased.length > 0)
    await call('deliveries.eraseFromDelivery', { delivery_id, provider_user_ids: erased });
  return connections;
}

/** Ends a connection as its provider reported, without a token revocation. Returns false if it has ended before. */
export function endByEvent(
  { database, origin }: { readonly database: Database; readonly origin: AuditOrigin },
  { connection_id, user_id }: ParamsOf<typeof users, 'endByEvent'>,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if (!(await lockUser(transaction, user_id))) return false;
    const provider = await revokeActive(transaction, connection_id);
    if (provider === null) return false;
    await recordAudit(transaction, origin, {
      action: 'connection.revoked',
      userId: user_id,
      subjectId: connection_id,
      details: { provider, cause: 'event' },
    });
    return true;
  });
}
