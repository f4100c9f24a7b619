import type { Instant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';

/** The version of tokens that a change is based on. A change of an outdated version affects no row. */
export interface TokensRead {
  readonly connection_id: string;
  readonly version: number;
}

const same = `where id = $1 and token_version = $2 and status = 'active'`;

/** Takes the refresh lease; false if another process holds it or the tokens have changed. */
export async function leaseRefresh(
  database: Queryable,
  { connection_id, version, lease_ms }: TokensRead & { readonly lease_ms: number },
): Promise<boolean> {
  const statement = `
    update users.connection set refresh_leased_until = clock_timestamp() + $3 * interval '1 ms'
    ${same} and (refresh_leased_until is null or refresh_leased_until <= clock_timestamp()) returning id`;
  return (await database.query(statement, [connection_id, version, lease_ms])).length > 0;
}

/*
 * A refresh that fails for a while is usual: an hour exceeds most outages of a provider. Until then, and while the access
 * token is valid, the connection has no error.
 */
const failsForLong = `status = 'active' and refresh_failing_since <= clock_timestamp() - interval '1 hour'
  and (expires_at is null or expires_at <= clock_timestamp())`;

/**
 * Releases the refresh lease after a failure, without a change of the tokens. If refreshes have failed for an hour and the
 * access token has expired, the connection has an error until tokens are stored.
 */
export async function releaseRefresh(
  database: Queryable,
  { connection_id, version }: TokensRead,
): Promise<boolean> {
  const statement = `
    update users.connection set refresh_leased_until = null,
      refresh_failing_since = coalesce(refresh_failing_since, clock_timestamp()),
      status_reason = case when ${failsForLong} then 'REFRESH_FAILED' else status_reason end
    ${same} returning id`;
  return (await database.query(statement, [connection_id, version])).length > 0;
}

/** New tokens. A refresh token of null keeps the stored one. */
export interface NewTokens extends TokensRead {
  readonly access_token: string;
  readonly refresh_token: string | null;
  readonly expires_at: Instant | null;
}

/**
 * Stores refreshed tokens and ends the refresh lease. A refresh token that is replaced is kept as the previous one until the
 * new access token has worked.
 */
export async function storeTokens(database: Queryable, made: NewTokens): Promise<boolean> {
  const statement = `
    update users.connection
    set access_token = $3, refresh_token = coalesce($4, refresh_token), expires_at = $5,
      previous_refresh_token = case when $4::text is null then previous_refresh_token else refresh_token end,
      token_version = token_version + 1, refresh_leased_until = null, updated_at = clock_timestamp(),
      refresh_failing_since = null,
      status_reason = case when status_reason = 'REFRESH_FAILED' then null else status_reason end
    ${same} returning id`;
  const expiresAt = made.expires_at === null ? null : new Date(made.expires_at.ms);
  const values = [made.connection_id, made.version, made.access_token, made.refresh_token, expiresAt];
  return (await database.query(statement, values)).length > 0;
}

/** Erases the previous refresh token, because the current access token has worked. */
export async function confirmTokens(
  database: Queryable,
  { connection_id, version }: TokensRead,
): Promise<boolean> {
  const statement = `
    update users.connection set previous_refresh_token = null
    where id = $1 and token_version = $2 and previous_refresh_token is not null returning id`;
  return (await database.query(statement, [connection_id, version])).length > 0;
}

/** Expires a connection with a reason and erases its tokens. */
export function expireConnection(
  database: Database,
  origin: AuditOrigin,
  { connection_id, version, reason }: TokensRead & { readonly reason: string },
): Promise<boolean> {
  const statement = `
    update users.connection
    set status = 'expired', status_reason = $3, access_token = null, refresh_token = null, previous_refresh_token = null, expires_at = null,
      token_version = token_version + 1, refresh_leased_until = null, updated_at = clock_timestamp()
    ${same} returning user_id, provider`;
  return database.transaction(async (transaction) => {
    const values = [connection_id, version, reason];
    const [row] = await transaction.query<{ user_id: string; provider: string }>(statement, values);
    if (row === undefined) return false;
    const details = { provider: row.provider, reason };
    const entry = { userId: row.user_id, subjectId: connection_id, details };
    await recordAudit(transaction, origin, { ...entry, action: 'connection.expired' });
    return true;
  });
}
