import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

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
}

/** The lifetime of an attempt, for reading the consent page. */
const minutes = 15;

const statement = `
insert into connect.attempt (state_hash, user_id, provider, redirect_uri, callback_uri, verifier, session_id,
  provider_client_id, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, now() + interval '${minutes} minutes')`;

/** Stores a connection attempt. */
export async function insertAttempt(database: Queryable, attempt: Attempt): Promise<void> {
  const { stateHash, userId, provider, redirectUri, callbackUri, verifier, sessionId, providerClientId } =
    attempt;
  const values = [
    stateHash,
    userId,
    provider,
    redirectUri,
    callbackUri,
    verifier,
    sessionId,
    providerClientId,
  ];
  await database.query(statement, values);
}
