import { randomUUID } from 'node:crypto';
import type { Logger } from 'moleculer';
import type { Config } from '../../../config.ts';
import type { connect as contract } from '../../../contracts/connect.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { isError } from '../../../domain/errors.ts';
import { isoTimeOrNull } from '../../../domain/time/time.ts';
import type { BrowserAnswer } from '../../../domain/wire.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { ProviderApi } from '../../../mixins/provider-api/provider-api.ts';
import type { FreshTokens } from '../../../mixins/provider-api/token-endpoint.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { Browsers, Call } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { apiHeadersOf, inRegion } from '../../../runtime/provider-settings.ts';
import { clientOf, type OAuthClient, openedClient } from '../rules/clients.ts';
import { answerTo, type Outcome, unknownPage, usedPage } from '../rules/outcome.ts';
import { listedOrNull } from '../rules/redirects.ts';
import { type UsedAttempt, useAttempt } from '../tables/attempts.ts';
import { exchangeCode, findGranted, type Granted, register } from '../work/exchange-code.ts';
import { cancelBackfill, enqueueBackfill, startBackfill } from '../work/pending-backfills.ts';
import { revokeAccess } from '../work/revoke-access.ts';
import { hashOf } from './authorize.ts';
import { storeConsent } from './consents.ts';
import { finishInSession, pageOf } from './sessions.ts';

/** The parameters of a provider's callback. */
type CallbackRequest = ParamsOf<typeof contract, 'callback'>;

/** Dependencies of the callback. */
interface Deps {
  readonly config: Config;
  readonly database: Database;
  readonly cipher: Cipher;
  readonly call: Call;
  readonly api: ProviderApi;
  readonly logger: Logger;
}

/** Finishes a connection attempt: consumes the state, creates the connection and returns the answer to the browser. */
export async function finish(
  deps: Deps,
  request: CallbackRequest,
  browsers: Browsers = {},
): Promise<BrowserAnswer> {
  const { provider, state } = request;
  const attempt =
    state === undefined ? null : await useAttempt(deps.database, hashOf(state), provider, browsers);
  if (attempt === null) return unknownPage;
  const { sessionId, callbackUri } = attempt;
  // The connect page shows the state of the connection, or refuses the browser.
  if (sessionId !== null && (attempt.state === 'used' || attempt.state === 'foreign'))
    return pageOf(sessionId, callbackUri);
  if (attempt.state === 'used') return usedPage;
  const outcome = await outcomeOf(deps, request, attempt);
  const reason = 'reason' in outcome ? outcome.reason : null;
  deps.logger.info('connect.finished', { provider, user_id: attempt.userId, status: outcome.status, reason });
  if (sessionId !== null) return finishInSession(deps, { sessionId, callbackUri }, provider, outcome);
  const redirectUri = listedOrNull(deps.config, attempt.redirectUri);
  return answerTo({ callbackUri, redirectUri }, provider, outcome);
}

async function outcomeOf(deps: Deps, request: CallbackRequest, attempt: UsedAttempt): Promise<Outcome> {
  if (attempt.state === 'expired') return { status: 'failed', reason: 'link_expired' };
  if (request.error === 'access_denied') return { status: 'denied', reason: 'access_denied' };
  if (request.error !== undefined || request.code === undefined)
    return { status: 'failed', reason: 'provider_refused' };
  try {
    return await connect(deps, request, attempt, request.code);
  } catch (error) {
    if (isError(error, 'USER_NOT_FOUND')) return { status: 'failed', reason: 'user_gone' };
    if (isError(error, 'ACCOUNT_TAKEN')) return { status: 'failed', reason: 'account_taken' };
    deps.logger.warn('connect.failed', {
      provider: request.provider,
      user_id: attempt.userId,
      code: codeOf(error),
    });
    return { status: 'failed', reason: 'unavailable' };
  }
}

async function connect(
  installation: Deps,
  request: CallbackRequest,
  attempt: UsedAttempt,
  code: string,
): Promise<Outcome> {
  const { provider, region } = attempt;
  const config = inRegion(installation.config, provider, region);
  const deps = { ...installation, config };
  const { cipher, api } = deps;
  const client = await clientOfAttempt(installation, attempt); // throws before the code is used up
  // The credentials were replaced or removed since: the code belongs to no other client.
  if (client === null) return { status: 'failed', reason: 'link_expired' };
  const verifier = attempt.verifier === null ? null : cipher.decrypt(attempt.verifier, attempt.stateHash);
  const exchanged = await exchangeCode(config, attempt, client, { code, verifier });
  if (exchanged.kind === 'late') return { status: 'failed', reason: 'code_expired' };
  if (exchanged.kind !== 'tokens') return { status: 'failed', reason: `provider_${exchanged.kind}` };
  const grantRequest = {
    api,
    apiUrl: client.apiUrl,
    apiHeaders: apiHeadersOf(config, provider),
    appended: request.scope,
  };
  const granted = await findGranted(provider, grantRequest, exchanged);
  if (granted.kind !== 'granted') return { status: 'failed', reason: `provider_${granted.kind}` };
  if (!granted.isEnough) {
    await giveUp(deps, provider, client, { account: granted.account, tokens: exchanged.tokens });
    return { status: 'failed', reason: 'permission_missing' };
  }
  const { account } = granted;
  const unregistered = await register(deps, provider, {
    userId: attempt.userId,
    account,
    tokens: exchanged.tokens,
  });
  if (unregistered !== null) return { status: 'failed', reason: `provider_${unregistered}` };
  await link(deps, attempt, granted, exchanged.tokens);
  // On the connect page the user has agreed before.
  if (attempt.sessionId === null) await storeConsent(deps.database, { ...attempt, text: null });
  return { status: 'connected' };
}

async function clientOfAttempt(
  deps: Deps,
  { provider, region, providerClientId: id }: UsedAttempt,
): Promise<OAuthClient | null> {
  if (id === null) return clientOf(deps.config, provider, region);
  const { client } = await deps.call('users.client', { id });
  return client === null ? null : openedClient(deps, { provider, region }, client);
}

// The backfill is enqueued before the connection is stored, so that a process that dies in between does not lose it.
async function link(
  deps: Deps,
  { userId: user_id, provider, region, sessionId, providerClientId }: UsedAttempt,
  granted: Extract<Granted, { kind: 'granted' }>,
  tokens: FreshTokens,
): Promise<void> {
  const isBackfillWanted = deps.config.BACKFILL_ON_CONNECT;
  const exclusive = sessionId !== null && !deps.config.CONNECT_SHARED_ACCOUNTS;
  const backfill = { user_id, provider };
  const newLink = { user_id, provider, region, exclusive, provider_client_id: providerClientId };
  if (isBackfillWanted) await enqueueBackfill(deps.database, backfill);
  try {
    await linkOnce(deps, newLink, granted, tokens);
  } catch (error) {
    // A concurrent request created the connection after its id was looked up. The second try encrypts the tokens for that id.
    if (isError(error, 'CONNECTION_EXISTS')) await linkOnce(deps, newLink, granted, tokens);
    else {
      await cancelBackfill(deps.database, backfill);
      throw error;
    }
  }
  if (isBackfillWanted) await startBackfill(deps, backfill);
}

interface NewLink {
  readonly user_id: string;
  readonly provider: ProviderName;
  readonly region: string | null;
  readonly exclusive: boolean;
  readonly provider_client_id: string | null;
}

async function linkOnce(
  { call, cipher }: Deps,
  newLink: NewLink,
  { account, scope }: Extract<Granted, { kind: 'granted' }>,
  { access_token, refresh_token, expires_at_ms }: FreshTokens,
): Promise<void> {
  const { user_id, provider } = newLink;
  const connections = await call('users.connections', { user_id });
  const connection_id =
    connections.find((connection) => connection.provider === provider)?.id ?? randomUUID();
  await call('users.link', {
    ...newLink,
    connection_id,
    provider_user_id: account,
    access_token: cipher.encrypt(access_token, connection_id),
    refresh_token: refresh_token === null ? null : cipher.encrypt(refresh_token, connection_id),
    expires_at: isoTimeOrNull(expires_at_ms),
    scope,
  });
}

// The granted access is insufficient, so it is revoked. Access belongs to the account: it is kept if another user is
// connected to the account.
async function giveUp(
  { config, call }: Deps,
  provider: ProviderName,
  client: OAuthClient,
  { account, tokens }: { readonly account: string; readonly tokens: FreshTokens },
): Promise<void> {
  const holders = await call('users.resolve', { provider, provider_user_ids: [account] }).catch(() => null);
  if (holders?.length === 0)
    await revokeAccess({ config, client }, { provider, account }, tokens, Date.now());
}
