import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { deleteInBatches } from '../../../mixins/database/delete-in-batches.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { Browsers } from '../../../runtime/environment.ts';

/** A connection attempt; `verifier` is ciphertext bound to the hash of the state. */
export interface Attempt {
  readonly stateHash: string;
  readonly userId: string;
  readonly provider: ProviderName;
  readonly redirectUri: string | null;
  readonly callbackUri: string;
  readonly verifier: string | null;
  /** The session of the connect page; null if the attempt was started by an application. */
  readonly sessionId: string | null;
  /** The client of a project that the user is asked to agree to. Null: that of the installation. */
  readonly providerClientId: string | null;
  /** The region in which the user registered the account. Null: the provider has none. */
  readonly region: string | null;
}

/** The lifetime of an attempt, for reading the consent page. */
const minutes = 15;

const insertStatement = `
insert into connect.attempt (state_hash, user_id, provider, redirect_uri, callback_uri, verifier, session_id,
  provider_client_id, region, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + interval '${minutes} minutes')`;

/** Stores a connection attempt. */
export async function insertAttempt(database: Queryable, attempt: Attempt): Promise<void> {
  await database.query(insertStatement, [
    attempt.stateHash,
    attempt.userId,
    attempt.provider,
    attempt.redirectUri,
    attempt.callbackUri,
    attempt.verifier,
    attempt.sessionId,
    attempt.providerClientId,
    attempt.region,
  ]);
}

/**
 * An attempt whose state was returned: `fresh` for the first request only, `foreign` if it came in another browser than
 * that of its session.
 */
export type UsedAttempt = Attempt & { readonly state: 'fresh' | 'used' | 'expired' | 'foreign' };

type AttemptRow = UsedAttempt & { readonly browserHash: string | null };

const selectStatement = `
select a.state_hash as "stateHash", a.user_id as "userId", a.provider, a.redirect_uri as "redirectUri",
  a.callback_uri as "callbackUri", a.verifier, a.session_id as "sessionId",
  a.provider_client_id as "providerClientId", a.region, s.browser_hash as "browserHash",
  case when a.used_at is not null then 'used' when a.expires_at <= now() then 'expired' else 'fresh' end as state
from connect.attempt a left join connect.session s on s.id = a.session_id
where a.state_hash = $1 and a.provider = $2 for update of a`;
const useStatement = 'update connect.attempt set used_at = now(), verifier = null where state_hash = $1';

/**
 * Consumes a state: of concurrent requests only one finds it fresh. Null if this provider has no
 * such state. In another browser than that of its session nothing is consumed. */
export function useAttempt(
  database: Database,
  stateHash: string,
  provider: ProviderName,
  browsers: Browsers = {},
): Promise<UsedAttempt | null> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query<AttemptRow>(selectStatement, [stateHash, provider]);
    if (row === undefined) return null;
    const { browserHash, ...attempt } = row;
    const { sessionId } = attempt;
    if (sessionId !== null && (browserHash === null || browsers[sessionId] !== browserHash))
      return { ...attempt, state: 'foreign' };
    if (attempt.state !== 'used') await transaction.query(useStatement, [stateHash]);
    return attempt;
  });
}

const size = 1000;
const expiredAttempts = `
delete from connect.attempt where state_hash = any(array(
  select state_hash from connect.attempt where expires_at < now() - interval '1 day' order by expires_at limit ${size}))
returning 1`;
const expiredSessions = `
delete from connect.session where id = any(array(
  select id from connect.session where expires_at < now() - interval '1 day' order by expires_at limit ${size}))
returning 1`;
/** 100,000 rows per run: more than the rate limit of a credential allows to create in that time. */
const most = 100;

/** Deletes states and sessions that expired more than a day ago, in bounded statements. Returns their number. */
export async function deleteExpired(database: Queryable, signal?: AbortSignal): Promise<number> {
  let deleted = 0;
  for (const statement of [expiredAttempts, expiredSessions]) {
    const deleteBatch = async () => (await database.query(statement)).length;
    deleted += await deleteInBatches(deleteBatch, { size, most, signal });
  }
  return deleted;
}
