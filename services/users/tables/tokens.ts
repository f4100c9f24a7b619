import type { StoredTokens, users } from '../../../contracts/users.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import { type Database, firstRow, type Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';

/** A connection's tokens with their version; ciphertext. */
type TokensRow = Omit<StoredTokens, 'connected_at' | 'expires_at'> & {
  readonly connected_at: Date;
  readonly expires_at: Date | null;
};

// A deleted user has no tokens, also while the row waits for its erasure.
const tokensOfConnection = `
select c.id as connection_id, c.status, c.connected_at, c.token_version as version, c.access_token,
  c.refresh_token, c.previous_refresh_token, c.expires_at, c.region,
  case when c.provider_client_id is not null
    then json_build_object('id', c.provider_client_id, 'client_id', coalesce(k.client_id, ''),
      'client_secret', k.client_secret) end as client
from users.connection c join users.person p on p.id = c.user_id
left join users.provider_client k on k.id = c.provider_client_id
where c.user_id = $1 and c.provider = $2 and p.deleted_at is null`;

/** The tokens of a user's connection to a provider; null when there is none. */
export async function selectTokens(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<TokensRow | null> {
  return (await firstRow<TokensRow>(database, tokensOfConnection, [userId, provider])) ?? null;
}

/** The version of tokens that a change is based on. A change of an outdated version affects no row. */
interface TokensRead {
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

/**
 * Stores refreshed tokens and ends the refresh lease. A refresh token of null keeps the stored one. One that is replaced is
 * kept as the previous one until the new access token has worked.
 */
export async function storeTokens(
  database: Queryable,
  tokens: ParamsOf<typeof users, 'storeTokens'>,
): Promise<boolean> {
  const statement = `
    update users.connection
    set access_token = $3, refresh_token = coalesce($4, refresh_token), expires_at = $5,
      previous_refresh_token = case when $4::text is null then previous_refresh_token else refresh_token end,
      token_version = token_version + 1, refresh_leased_until = null, updated_at = clock_timestamp(),
      refresh_failing_since = null,
      status_reason = case when status_reason = 'REFRESH_FAILED' then null else status_reason end
    ${same} returning id`;
  const expiresAt = tokens.expires_at === null ? null : new Date(tokens.expires_at.ms);
  const values = [tokens.connection_id, tokens.version, tokens.access_token, tokens.refresh_token, expiresAt];
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

/**
 * Expires a connection with a reason and erases its tokens. If they were those of a move, a later move may bring the tokens that the
 * other installation has had since.
 */
export function expireConnection(
  database: Database,
  origin: AuditOrigin,
  { connection_id, version, reason }: TokensRead & { readonly reason: string },
): Promise<boolean> {
  const statement = `
    update users.connection
    set status = 'expired', status_reason = $3, access_token = null, refresh_token = null, previous_refresh_token = null, expires_at = null,
      token_version = token_version + 1, refresh_leased_until = null, updated_at = clock_timestamp(),
      moved_version = case when moved_version = token_version then token_version + 1 end
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

/** Tokens of a connection of which at least one was not encrypted with the first secret. */
export interface SealedRow {
  id: string;
  access_token: string | null;
  refresh_token: string | null;
  previous_refresh_token: string | null;
}

/** How many connections one statement takes. */
export const sealedPerBatch = 200;

const select = `
  select id, access_token, refresh_token, previous_refresh_token from users.connection
  where ($1::uuid is null or id > $1) and (not starts_with(access_token, $2) or not starts_with(refresh_token, $2)
    or not starts_with(previous_refresh_token, $2))
  order by id limit ${sealedPerBatch}`;

// The version is unchanged because the tokens are the same: a running refresh can still store its result. Tokens that
// changed meanwhile are not overwritten.
const update = `
  update users.connection c set access_token = t.access_token, refresh_token = t.refresh_token,
    previous_refresh_token = t.previous_refresh_token
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    t (id, access_token, refresh_token, previous_refresh_token, old_access_token, old_refresh_token, old_previous)
  where c.id = t.id and c.access_token is not distinct from t.old_access_token
    and c.refresh_token is not distinct from t.old_refresh_token
    and c.previous_refresh_token is not distinct from t.old_previous
  returning 1`;

/** The next connections behind `afterId` with tokens that do not begin with `newest`. */
export function selectSealed(
  database: Queryable,
  afterId: string | null,
  newest: string,
): Promise<SealedRow[]> {
  return database.query<SealedRow>(select, [afterId, newest]);
}

/** Replaces the ciphertext of tokens that have not changed since they were read. Returns the number of rows. */
export async function replaceSealed(
  database: Queryable,
  pairs: readonly { readonly old: SealedRow; readonly fresh: SealedRow }[],
): Promise<number> {
  if (pairs.length === 0) return 0;
  const rows = await database.query(update, [
    pairs.map(({ fresh }) => fresh.id),
    pairs.map(({ fresh }) => fresh.access_token),
    pairs.map(({ fresh }) => fresh.refresh_token),
    pairs.map(({ fresh }) => fresh.previous_refresh_token),
    pairs.map(({ old }) => old.access_token),
    pairs.map(({ old }) => old.refresh_token),
    pairs.map(({ old }) => old.previous_refresh_token),
  ]);
  return rows.length;
}

/** How many connections the check at the start reads: a wrong secret decrypts none, so a sample is enough. */
export const unreadableSample = 1000;

const unreadable = `
  select count(*)::int as connections
  from (select access_token, refresh_token from users.connection order by id limit ${unreadableSample}) c
  where exists (select from unnest(array[access_token, refresh_token]) t (token)
    where token is not null and not exists (select from unnest($1::text[]) p (prefix) where starts_with(token, prefix)))`;

/** How many of the first connections have a token that begins with none of the prefixes. */
export async function countUnreadable(database: Queryable, prefixes: readonly string[]): Promise<number> {
  const [row] = await database.query<{ connections: number }>(unreadable, [prefixes]);
  return row?.connections ?? 0;
}
