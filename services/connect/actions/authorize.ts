import { createHash, randomBytes } from 'node:crypto';
import type { Config } from '../../../config.ts';
import type { connect } from '../../../contracts/connect.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { OAuth } from '../../../domain/provider/provider.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import { oauthOf, type ProviderName } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import { chosenRegion, inRegion, publicUrl } from '../../../runtime/provider-settings.ts';
import { openedClient } from '../rules/clients.ts';
import { checkRedirect } from '../rules/redirects.ts';
import { insertAttempt } from '../tables/attempts.ts';

/** The user, the provider, and the address that the browser is redirected to at the end. */
type AuthorizationRequest = ParamsOf<typeof connect, 'authorize'> & { readonly session_id?: string };

/** Dependencies of an authorization. */
export interface AuthorizeDeps {
  readonly config: Config;
  readonly database: Database;
  readonly cipher: Cipher;
  readonly call: Call;
  readonly origin: AuditOrigin;
}

/**
 * Starts a connection attempt and returns the address of the provider's consent page. The state is stored as a hash, the
 * verifier as ciphertext.
 * @throws VALIDATION_FAILED (422), USER_NOT_FOUND (404), PROVIDER_NOT_CONFIGURED (409)
 */
export async function authorize(
  { config, database, cipher, call, origin }: AuthorizeDeps,
  { user_id, provider, redirect_uri, session_id, region: chosen }: AuthorizationRequest,
  callbackUri: string,
): Promise<{ authorization_url: string; state: string }> {
  checkRedirect(config, redirect_uri);
  await call('users.get', { user_id });
  const { client: own } = await call('users.clientOfUser', { user_id, provider });
  const region = chosenRegion(config, provider, chosen, own !== null);
  const client = openedClient({ config, cipher }, { provider, region }, own);
  if (client === null) throw new ServiceError('PROVIDER_NOT_CONFIGURED');
  const providerClientId = own?.id ?? null;
  const oauth = oauthOf(provider);
  const { authorizeFields = {} }: OAuth = oauth;
  const state = randomBytes(32).toString('base64url');
  const verifier = oauth.usesPkce ? randomBytes(32).toString('base64url') : null;
  const stateHash = hashOf(state);
  const attempt = {
    stateHash,
    userId: user_id,
    provider,
    redirectUri: redirect_uri ?? null,
    callbackUri,
    sessionId: session_id ?? null,
    providerClientId,
    region,
    verifier: verifier === null ? null : cipher.encrypt(verifier, stateHash),
  };
  await database.transaction(async (transaction) => {
    await insertAttempt(transaction, attempt);
    const entry = { userId: user_id, details: { provider } };
    await recordAudit(transaction, origin, { ...entry, action: 'connection.authorization_started' });
  });
  const url = oauth.authorizeUrl(inRegion(config, provider, region));
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', client.clientId);
  url.searchParams.set('redirect_uri', callbackUri);
  url.searchParams.set('state', state);
  if (oauth.scope !== null) url.searchParams.set('scope', oauth.scope);
  for (const [name, value] of Object.entries(authorizeFields)) url.searchParams.set(name, value);
  if (verifier !== null) {
    url.searchParams.set('code_challenge', createHash('sha256').update(verifier).digest('base64url'));
    url.searchParams.set('code_challenge_method', 'S256');
  }
  return { authorization_url: url.href, state };
}

/** The stored form of a state. */
export function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}

/** The callback address of a provider, under PUBLIC_URL or else under the address of the gateway. */
export function callbackOf(config: Config, provider: ProviderName, gatewayUrl: string | undefined): string {
  return `${publicUrl(config, gatewayUrl)}/api/v1/connect/${provider}/callback`;
}
