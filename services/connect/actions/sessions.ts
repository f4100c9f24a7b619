import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../../config.ts';
import { ConnectReason, ConnectStatus, type Language } from '../../../contracts/connect/schemas.ts';
import type {
  BrowserProof,
  ConnectChoice,
  Refused,
  SessionView,
} from '../../../contracts/connect/sessions.ts';
import type { connect } from '../../../contracts/connect.ts';
import type { Connection } from '../../../contracts/users/schemas.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { isError, ServiceError, userNotFound, validationFailed } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import type { BrowserAnswer } from '../../../domain/wire.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import { type ProviderName, providerNames, providers, regionsOf } from '../../../providers/all.ts';
import { type Call, callAs, type Meta } from '../../../runtime/environment.ts';
import {
  chosenRegion,
  isConfigured,
  offeredRegions,
  publicUrl,
  titleOf,
} from '../../../runtime/provider-settings.ts';
import { projectOf } from '../../../runtime/user-project.ts';
import { clientOf } from '../rules/clients.ts';
import type { Outcome } from '../rules/outcome.ts';
import { checkRedirect, returnUrl } from '../rules/redirects.ts';
import {
  bindSession,
  type ConnectSession,
  findSession,
  findSessionByToken,
  insertSession,
  storeOutcome,
} from '../tables/sessions.ts';
import { type AuthorizeDeps, authorize } from './authorize.ts';
import { storeConsent } from './consents.ts';

/** A request for a link to the connect page. */
type SessionRequest = ParamsOf<typeof connect, 'createSession'>;

/** Dependencies of the sessions. */
type SessionDeps = Omit<AuthorizeDeps, 'cipher'>;

/**
 * Creates a session of the connect page. The token is stored as a hash.
 * @throws VALIDATION_FAILED (422), FORBIDDEN (403), USER_NOT_FOUND (404), PROVIDER_NOT_CONFIGURED (409)
 */
export async function createSession(
  { config, database, call, origin, meta }: SessionDeps & { readonly meta: Meta },
  request: SessionRequest,
): Promise<{ url: string; token: string; expires_at: string }> {
  checkRedirect(config, request.redirect_uri);
  const userId = await userOf(call, meta, request);
  const own = await call('users.ownClients', { user_id: userId });
  const providers = providersOf(config, request.providers, own.providers);
  const brand = await call('auth.connectBrand', { project_id: projectOf(meta) });
  const token = randomBytes(32).toString('base64url');
  const session = {
    id: randomUUID(),
    tokenHash: createHash('sha256').update(token).digest('hex'),
    userId,
    providers,
    redirectUri: request.redirect_uri ?? null,
    language: request.language ?? null,
    reason: request.reason ?? null,
    appName: brand.connect_name,
    appColour: brand.connect_colour,
    appLogo: brand.connect_logo,
  };
  const expiresAt = await database.transaction(async (transaction) => {
    const entry = { userId, subjectId: session.id, details: { providers } };
    await recordAudit(transaction, origin, { ...entry, action: 'connection.session_created' });
    return insertSession(transaction, session);
  });
  const url = `${publicUrl(config, meta.gateway_url)}/connect/${token}`;
  return { url, token, expires_at: formatInstant(expiresAt.getTime()) };
}

// A user token gets the same refusal for another user whether or not that user exists.
async function userOf(call: Call, { caller }: Meta, request: SessionRequest): Promise<string> {
  const own = caller?.kind === 'sdk' ? caller.user_id : null;
  const refused = new ServiceError('FORBIDDEN', 'This token connects its own user only.');
  if (own !== null && request.user_id !== undefined && request.user_id !== own) throw refused;
  if (request.user_id !== undefined) return (await call('users.get', { user_id: request.user_id })).id;
  const external_user_id = request.external_user_id ?? '';
  const [user] = (await call('users.list', { external_user_id, limit: 1 })).items;
  if (own !== null && user?.id !== own) throw refused;
  if (user === undefined) throw userNotFound(`with the external_user_id ${external_user_id}`);
  return user.id;
}

// `own` are providers at which the project has credentials.
function providersOf(
  config: Config,
  wanted: readonly ProviderName[] | undefined,
  own: readonly ProviderName[],
): readonly ProviderName[] {
  const isUsable = (name: ProviderName) => own.includes(name) || isConfigured(config, name);
  const withPage = (name: ProviderName) => providers[name].oauth !== null && isUsable(name);
  const offered = wanted ?? providerNames.filter(withPage);
  if (offered.length === 0) throw new ServiceError('PROVIDER_NOT_CONFIGURED', 'No provider is configured.');
  const hasNeither = (name: ProviderName) => providers[name].backfill.from === 'files';
  if (offered.some(hasNeither)) throw new ServiceError('CONNECTED_BY_APP');
  const ofInstallation = offered.filter((name) => providers[name].oauth !== null && !own.includes(name));
  for (const provider of ofInstallation) {
    const region = chosenRegion(config, provider, undefined, false);
    clientOf(config, provider, region); // throws if it is not configured
  }
  return [...new Set(offered)];
}

/** A request of a browser for its session. */
type BrowserSession = ParamsOf<typeof connect, 'showSession'>;

/** What the connect page shows. The state of the connections is read on each request. */
export async function showSession(
  deps: SessionDeps,
  browserSession: BrowserSession,
): Promise<SessionView | Refused> {
  const session = await readSession(deps, browserSession);
  if ('kind' in session) return session;
  try {
    const connections = await deps.call('users.connections', { user_id: session.userId });
    const own = await deps.call('users.ownClients', { user_id: session.userId });
    return viewOf(deps.config, session, connections, own.providers);
  } catch (error) {
    if (!isError(error, 'USER_NOT_FOUND')) throw error;
    return refusal(deps.config, 'user_gone', session);
  }
}

/** Finds the session of a token. */
export async function openSession(
  { config, database }: Pick<SessionDeps, 'config' | 'database'>,
  tokenHash: string,
): Promise<{ kind: 'open'; session_id: string } | Refused> {
  const session = await findSessionByToken(database, tokenHash);
  if (session === null) return refusal(config, 'unknown', null);
  if (session.isExpired) return refusal(config, 'expired', { ...session, redirectUri: null });
  return { kind: 'open', session_id: session.id };
}

/** Binds a session to the browser that acts in it. Refused if the session is bound to another browser. */
async function claimSession(
  deps: Omit<SessionDeps, 'call'>,
  browserSession: BrowserSession,
): Promise<ConnectSession | Refused> {
  const { database, origin } = deps;
  const { browser } = browserSession;
  const session = await readSession(deps, browserSession);
  if ('kind' in session || browser === null || session.browserHash !== null) return session;
  const isBound = await database.transaction(async (transaction) => {
    const isFirst = await bindSession(transaction, session.id, browser.secret_hash);
    const entry = { userId: session.userId, subjectId: session.id };
    if (isFirst) await recordAudit(transaction, origin, { ...entry, action: 'connection.session_opened' });
    return isFirst;
  });
  // Two requests of one browser may act at once: the second one finds the session bound.
  return isBound ? session : claimSession(deps, browserSession);
}

// A link preview may follow redirects and keep cookies, so reading binds nothing.
async function readSession(
  { config, database }: Pick<SessionDeps, 'config' | 'database'>,
  { session_id, browser }: BrowserSession,
): Promise<ConnectSession | Refused> {
  const session = await findSession(database, session_id);
  if (session === null) return refusal(config, 'unknown', null);
  if (browser === null || !hadToken(session, browser)) return refusal(config, 'foreign', session);
  const isOther = session.browserHash !== null && session.browserHash !== browser.secret_hash;
  if (isOther) return refusal(config, 'foreign', session);
  return session.isExpired ? refusal(config, 'expired', session) : session;
}

/** The answer that refuses a session. A link back is given to the browser of the session only. */
function refusal(config: Config, reason: Refused['reason'], session: ConnectSession | null): Refused {
  const isOwn = reason === 'expired' || reason === 'user_gone';
  const return_url = session !== null && isOwn ? returnUrl(config, session) : null;
  return { kind: 'refused', reason, language: session?.language ?? null, return_url };
}

// The token's hash is the key, so only a browser that had the token can make a proof.
function hadToken({ tokenHash }: ConnectSession, { secret_hash, proof }: BrowserProof): boolean {
  const expected = createHmac('sha256', tokenHash).update(secret_hash).digest();
  return timingSafeEqual(expected, Buffer.from(proof, 'hex'));
}

/** What the page shows of the product. */
function brandOf({ appName, appColour, appLogo }: Brand) {
  return { app: appName, colour: appColour, logo: appLogo };
}

/** The brand of a session. */
type Brand = Pick<ConnectSession, 'appName' | 'appColour' | 'appLogo'>;

function viewOf(
  config: Config,
  session: ConnectSession,
  connections: readonly Connection[],
  own: readonly ProviderName[],
): SessionView {
  const offered = session.providers.filter((name) => own.includes(name) || isConfigured(config, name));
  return {
    kind: 'session',
    language: session.language,
    ...brandOf(session),
    choices: offered.map((provider) => choiceOf(config, provider, connections, own.includes(provider))),
    last: lastOf(config, session),
    reason: session.reason,
    return_url: returnUrl(config, session),
  };
}

const states = { active: 'connected', expired: 'expired', revoked: 'none' } as const;

function choiceOf(
  config: Config,
  provider: ProviderName,
  connections: readonly Connection[],
  isClientOwn: boolean,
): ConnectChoice {
  const connection = connections.find((candidate) => candidate.provider === provider);
  return {
    provider,
    name: titleOf(config, provider),
    colour: providers[provider].colour,
    state: connection === undefined ? 'none' : states[connection.status],
    shares: [...providers[provider].shares],
    regions: regionsToChoose(config, provider, isClientOwn),
    region: connection?.region ?? null,
  };
}

// Of one region there is nothing to choose.
function regionsToChoose(config: Config, provider: ProviderName, isClientOwn: boolean) {
  const offered = offeredRegions(config, provider, isClientOwn);
  if (offered.length < 2) return [];
  const regions = Object.entries(regionsOf(provider)).filter(([name]) => offered.includes(name));
  return regions.map(([name, { country }]) => ({ name, country }));
}

function lastOf(config: Config, { lastProvider, lastStatus, lastReason }: ConnectSession) {
  const status = ConnectStatus.safeParse(lastStatus).data;
  if (lastProvider === null || status === undefined) return null;
  const reason = ConnectReason.safeParse(lastReason).data ?? null;
  return { name: titleOf(config, lastProvider), status, reason };
}

interface Attempted extends ReturnType<typeof brandOf> {
  readonly language: Language | null;
  readonly name: string;
}

/** `authorization_url` is the address of the provider's consent page. */
type Started = Attempted & { readonly kind: 'started'; readonly authorization_url: string };
type Coded = Attempted & { readonly kind: 'code'; readonly code: string };

type WithoutPage = {
  [N in ProviderName]: (typeof providers)[N]['backfill']['from'] extends 'uploads' ? N : never;
}[ProviderName];

function isWithoutPage(provider: ProviderName): provider is WithoutPage {
  return providers[provider].backfill.from === 'uploads';
}

// The user types the code into an app, which is connected by it.
async function codeFor(
  { config, call }: SessionDeps,
  provider: WithoutPage,
  { userId: user_id, language, ...session }: Pick<ConnectSession, 'userId' | 'language'> & Brand,
): Promise<Coded> {
  const asUser = callAs(call, `consent:${provider}`);
  const { code } = await asUser(`${providers[provider].ingest.service}.createCode`, { user_id });
  return { kind: 'code', language, ...brandOf(session), name: titleOf(config, provider), code };
}

/** The provider that the user agreed to, and the text that was shown. */
type AttemptRequest = ParamsOf<typeof connect, 'startAttempt'>;

/** Starts an attempt on the connect page: the user has agreed. @throws PROVIDER_NOT_CONFIGURED (409) */
export async function startAttempt(
  deps: AuthorizeDeps,
  { provider, region, text, ...browserSession }: AttemptRequest,
  callbackUri: string,
): Promise<Started | Coded | Refused> {
  const { config, database } = deps;
  const session = await claimSession(deps, browserSession);
  if ('kind' in session) return session;
  if (!session.providers.includes(provider)) return refusal(config, 'unknown', session);
  const origin = { ...deps.origin, actor: `consent:${provider}` };
  try {
    const consent = { userId: session.userId, provider, sessionId: session.id, text };
    if (isWithoutPage(provider)) {
      const answer = await codeFor(deps, provider, session);
      await storeConsent(database, consent);
      return answer;
    }
    // A page that was loaded before the provider had regions does not ask for one.
    const own = await deps.call('users.ownClients', { user_id: session.userId });
    const isAsked = regionsToChoose(config, provider, own.providers.includes(provider)).length > 0;
    if (isAsked && region === undefined)
      throw validationFailed([{ field: 'region', message: 'must be chosen' }]);
    const request = { user_id: session.userId, provider, region, session_id: session.id };
    const { authorization_url } = await authorize({ ...deps, origin }, request, callbackUri);
    await storeConsent(database, consent);
    await storeOutcome(database, session.id, { provider, status: null, reason: null });
    return {
      kind: 'started',
      language: session.language,
      ...brandOf(session),
      name: titleOf(config, provider),
      authorization_url,
    };
  } catch (error) {
    if (!isError(error, 'USER_NOT_FOUND')) throw error;
    return refusal(config, 'user_gone', session);
  }
}

/** Ends an attempt of the connect page: the browser returns to the page, or to the application if nothing is left to do. */
export async function finishInSession(
  { config, database }: Pick<SessionDeps, 'config' | 'database'>,
  { sessionId, callbackUri }: { readonly sessionId: string; readonly callbackUri: string },
  provider: ProviderName,
  outcome: Outcome,
): Promise<BrowserAnswer> {
  const reason = 'reason' in outcome ? outcome.reason : null;
  await storeOutcome(database, sessionId, { provider, status: outcome.status, reason });
  const session = await findSession(database, sessionId);
  const isDone = outcome.status === 'connected' && session?.providers.length === 1;
  const back = isDone ? returnUrl(config, session) : null;
  return back === null ? pageOf(sessionId, callbackUri) : { kind: 'redirect', location: back };
}

/** Redirects to the page of a session. */
export function pageOf(sessionId: string, callbackUri: string): BrowserAnswer {
  const base = callbackUri.slice(0, callbackUri.lastIndexOf('/api/v1/connect/'));
  return { kind: 'redirect', location: `${base}/connect/session/${sessionId}` };
}
