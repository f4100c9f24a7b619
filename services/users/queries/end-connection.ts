import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A connection that an event ends, locked until the transaction ends. */
export interface EndingConnection {
  readonly id: string;
  readonly provider: ProviderName;
  readonly status: 'active' | 'revoked' | 'expired';
  readonly has_token: boolean;
}

/** A user's connection by its id; undefined if there is none. */
export async function lockConnection(
  transaction: Queryable,
  connectionId: string,
): Promise<EndingConnection | undefined> {
  const [row] = await transaction.query<EndingConnection>(
    `select id, provider, status, access_token is not null as has_token from users.connection
     where id = $1 for no key update`,
    [connectionId],
  );
  return row;
}

/** Revokes a connection and keeps its tokens and their version, so that a running refresh can still store its result. */
export async function revokeReversibly(transaction: Queryable, connectionId: string): Promise<void> {
  await transaction.query(
    `update users.connection
     set status = 'revoked', status_reason = 'ENDING_UNCONFIRMED', updated_at = clock_timestamp() where id = $1`,
    [connectionId],
  );
}

/** Restores a connection that was revoked reversibly. */
export async function restoreConnection(transaction: Queryable, connectionId: string): Promise<void> {
  await transaction.query(
    `update users.connection set status = 'active', status_reason = null, updated_at = clock_timestamp()
     where id = $1 and status = 'revoked'`,
    [connectionId],
  );
}

/** Ends a connection for good: its tokens are erased. */
export async function endConnection(
  transaction: Queryable,
  connectionId: string,
  { status, reason }: { readonly status: 'revoked' | 'expired'; readonly reason: string | null },
): Promise<void> {
  await transaction.query(
    `update users.connection
     set status = $2, status_reason = $3, access_token = null, refresh_token = null, previous_refresh_token = null, expires_at = null,
       token_version = token_version + 1, refresh_leased_until = null, updated_at = clock_timestamp() where id = $1`,
    [connectionId, status, reason],
  );
}

/** Sets the scope of a connection to the provider's answer; returns whether it changed. */
export async function setScope(
  transaction: Queryable,
  connectionId: string,
  { scope, readAt }: { readonly scope: readonly string[]; readonly readAt: Date | null },
): Promise<boolean> {
  const rows = await transaction.query<{ changed: boolean }>(
    `with before as (select scope from users.connection where id = $1)
     update users.connection c set scope = $2, scope_changed_at = $3,
       updated_at = case when c.scope = $2 then c.updated_at else clock_timestamp() end
     from before where c.id = $1 returning before.scope <> $2 as changed`,
    [connectionId, scope, readAt],
  );
  return rows.some(({ changed }) => changed);
}
