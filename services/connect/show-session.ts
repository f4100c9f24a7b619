import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../config.ts';
import { ConnectReason, ConnectStatus } from '../../contracts/connect/schemas.ts';
import type { BrowserProof, ConnectChoice, Refused, SessionView } from '../../contracts/connect/sessions.ts';
import type { Connection } from '../../contracts/users/schemas.ts';
import { isError } from '../../domain/errors.ts';
import { recordAudit } from '../../mixins/database/audit.ts';
import type { Database } from '../../mixins/database/database.ts';
import { type ProviderName, providers } from '../../providers/all.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import type { Call } from '../../runtime/environment.ts';
import { isConfigured, titleOf } from '../../runtime/provider-settings.ts';
import {
  bindSession,
  type ConnectSession,
  findSession,
  findSessionByToken,
} from './queries/connect-sessions.ts';
import { returnUrl } from './return-url.ts';

/** A request of a browser for its session. */
export interface SessionQuestion {
  readonly session_id: string;
  readonly browser: BrowserProof | null;
}

/** Dependencies of the sessions. */
export interface SessionDeps {
  readonly config: Config;
  readonly database: Database;
  readonly call: Call;
  readonly origin: AuditOrigin;
}

/** What the connect page shows. The state of the connections is read on each request. */
export async function showSession(
  deps: SessionDeps,
  question: SessionQuestion,
): Promise<SessionView | Refused> {
  const session = await readSession(deps, question);
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

/** Binds a session to the browser, which acts in it, unless another browser was first. */
export async function claimSession(
  deps: Omit<SessionDeps, 'call'>,
  question: SessionQuestion,
): Promise<ConnectSession | Refused> {
  const { database, origin } = deps;
  const { browser } = question;
  const session = await readSession(deps, question);
  if ('kind' in session || browser === null || session.browserHash !== null) return session;
  const isBound = await database.transaction(async (transaction) => {
    const isFirst = await bindSession(transaction, session.id, browser.secret_hash);
    const entry = { userId: session.userId, subjectId: session.id };
    if (isFirst) await recordAudit(transaction, origin, { ...entry, action: 'connection.session_opened' });
    return isFirst;
  });
  // Two requests of one browser may act at once: the second one finds the session bound.
  return isBound ? session : claimSession(deps, question);
}

// A link preview may follow redirects and keep cookies, so reading binds nothing.
async function readSession(
  { config, database }: Pick<SessionDeps, 'config' | 'database'>,
  { session_id, browser }: SessionQuestion,
): Promise<ConnectSession | Refused> {
  const session = await findSession(database, session_id);
  if (session === null) return refusal(config, 'unknown', null);
  if (browser === null || !hadToken(session, browser)) return refusal(config, 'foreign', session);
  const isOther = session.browserHash !== null && session.browserHash !== browser.secret_hash;
  if (isOther) return refusal(config, 'foreign', session);
  return session.isExpired ? refusal(config, 'expired', session) : session;
}

/** The answer that refuses a session. A link back is given to the browser of the session only. */
export function refusal(config: Config, reason: Refused['reason'], session: ConnectSession | null): Refused {
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
export function brandOf({ appName, appColour, appLogo }: Brand) {
  return { app: appName, colour: appColour, logo: appLogo };
}

/** The brand of a session. */
export type Brand = Pick<ConnectSession, 'appName' | 'appColour' | 'appLogo'>;

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
    choices: offered.map((provider) => choiceOf(config, provider, connections)),
    last: lastOf(config, session),
    reason: session.reason,
    return_url: returnUrl(config, session),
  };
}

const states = { active: 'connected', expired: 'expired', revoked: 'none' } as const;

function choiceOf(config: Config, provider: ProviderName, connections: readonly Connection[]): ConnectChoice {
  const held = connections.find((one) => one.provider === provider);
  return {
    provider,
    name: titleOf(config, provider),
    colour: providers[provider].colour,
    state: held === undefined ? 'none' : states[held.status],
    shares: [...providers[provider].shares],
  };
}

function lastOf(config: Config, { lastProvider, lastStatus, lastReason }: ConnectSession) {
  const status = ConnectStatus.safeParse(lastStatus).data;
  if (lastProvider === null || status === undefined) return null;
  const reason = ConnectReason.safeParse(lastReason).data ?? null;
  return { name: titleOf(config, lastProvider), status, reason };
}
