import { accessReasons } from '../domain/access-reasons.ts';
import { ServiceError } from '../domain/errors.ts';
import type { ProviderName } from '../providers/all.ts';
import type { AuditOrigin } from '../runtime/audit-origin.ts';
import type { Call } from '../runtime/environment.ts';
import { type NewAuditEntry, recordAudit } from './database/audit.ts';
import type { Database, Queryable } from './database/database.ts';

/** Dependencies of the actions of backfills. */
export interface BackfillDeps {
  readonly database: Database;
  readonly call: Call;
  readonly origin: AuditOrigin;
}

/** A connection of a user, by the names in the API. */
export interface UserConnection {
  readonly user_id: string;
  readonly provider: ProviderName;
}

/** The id of a connection. @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND (404) */
export async function connectionIdOf(call: Call, { user_id, provider }: UserConnection): Promise<string> {
  return (await call('users.connection', { user_id, provider })).id;
}

/**
 * The tokens of a connection whose data can be read.
 * @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND (404), CONNECTION_INACTIVE, CONNECTION_WITHOUT_TOKEN (409)
 */
export async function readableConnection(call: Call, { user_id, provider }: UserConnection) {
  const tokens = await call('users.tokens', { user_id, provider });
  if (tokens.status !== 'active') throw new ServiceError('CONNECTION_INACTIVE');
  if (tokens.access_token === null) throw new ServiceError('CONNECTION_WITHOUT_TOKEN');
  return tokens;
}

/**
 * Begins a backfill. `insert` returns false if the connection already has one in progress. `details` are added to the audit
 * entry. Returns the connection's id. @throws as readableConnection, BACKFILL_RUNNING (409)
 */
export async function beginBackfill(
  { database, call, origin }: BackfillDeps,
  { user_id, provider }: UserConnection,
  insert: (
    transaction: Queryable,
    connection: { readonly connection_id: string; readonly connected_at: string },
  ) => Promise<boolean>,
  details: NewAuditEntry['details'] = {},
): Promise<string> {
  const { connection_id, connected_at } = await readableConnection(call, { user_id, provider });
  await database.transaction(async (transaction) => {
    if (!(await insert(transaction, { connection_id, connected_at })))
      throw new ServiceError('BACKFILL_RUNNING');
    const entry = { userId: user_id, subjectId: connection_id, details: { provider, ...details } };
    await recordAudit(transaction, origin, { ...entry, action: 'backfill.started' });
  });
  return connection_id;
}

/** Cancels the backfill in progress of a connection, if there is one. Returns the connection's id. @throws as connectionIdOf */
export async function endBackfill(
  { database, call, origin }: BackfillDeps,
  { user_id, provider }: UserConnection,
  cancel: (transaction: Queryable, connectionId: string) => Promise<boolean>,
): Promise<string> {
  const subjectId = await connectionIdOf(call, { user_id, provider });
  await database.transaction(async (transaction) => {
    if (!(await cancel(transaction, subjectId))) return;
    const entry = { userId: user_id, subjectId, details: { provider } };
    await recordAudit(transaction, origin, { ...entry, action: 'backfill.cancelled' });
  });
  return subjectId;
}

/** Texts for the reason codes that a client may see. */
const sentences: Readonly<Record<string, string>> = {
  ...accessReasons,
  SCOPE_MISSING: 'The user did not grant this type.',
  PAGES_REPEAT: 'The list of the provider repeats a page, so that the rest of it cannot be read.',
  OUT_OF_REACH: 'The provider shows nothing of this time.',
};

/** The text of the reason why reads of a backfill ended. */
export function readingReason(reason: string | null): string | null {
  return reason === null ? null : (sentences[reason] ?? `The provider said ${reason}.`);
}
