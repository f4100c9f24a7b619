import type { Config } from '../../config.ts';
import type { ConsentText } from '../../contracts/connect/consents.ts';
import type { Language } from '../../contracts/connect/schemas.ts';
import type { Refused } from '../../contracts/connect/sessions.ts';
import { isError } from '../../domain/errors.ts';
import type { BrowserAnswer } from '../../domain/wire.ts';
import type { Database } from '../../mixins/database/database.ts';
import type { Cipher } from '../../mixins/provider-api/cipher.ts';
import { type ProviderName, providers } from '../../providers/all.ts';
import { callAs } from '../../runtime/environment.ts';
import { titleOf } from '../../runtime/provider-settings.ts';
import { authorize } from './authorize.ts';
import { storeConsent } from './consents.ts';
import type { Outcome } from './outcome.ts';
import type { ConnectSession } from './queries/connect-sessions.ts';
import { findSession, storeOutcome } from './queries/connect-sessions.ts';
import { returnUrl } from './return-url.ts';
import {
  type Brand,
  brandOf,
  claimSession,
  refusal,
  type SessionDeps,
  type SessionQuestion,
} from './show-session.ts';

interface Begun extends ReturnType<typeof brandOf> {
  readonly language: Language | null;
  readonly name: string;
}

interface Started extends Begun {
  readonly kind: 'started';
  /** The address of the provider's consent page. */
  readonly authorization_url: string;
}

interface Coded extends Begun {
  readonly kind: 'code';
  readonly code: string;
}

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
type AttemptRequest = SessionQuestion & {
  readonly provider: ProviderName;
  readonly text?: ConsentText | undefined;
};

/** Starts an attempt on the connect page: the user has agreed. @throws PROVIDER_NOT_CONFIGURED (409) */
export async function startAttempt(
  deps: SessionDeps & { readonly cipher: Cipher },
  { provider, text, ...question }: AttemptRequest,
  callbackUri: string,
): Promise<Started | Coded | Refused> {
  const { config, database } = deps;
  const session = await claimSession(deps, question);
  if ('kind' in session) return session;
  if (!session.providers.includes(provider)) return refusal(config, 'unknown', session);
  const origin = { ...deps.origin, actor: `consent:${provider}` };
  try {
    const consent = { userId: session.userId, provider, sessionId: session.id, text: text ?? null };
    if (isWithoutPage(provider)) {
      const coded = await codeFor(deps, provider, session);
      await storeConsent(database, consent);
      return coded;
    }
    const request = { user_id: session.userId, provider, session_id: session.id };
    const { authorization_url } = await authorize({ ...deps, origin }, request, callbackUri);
    await storeConsent(database, consent);
    await storeOutcome(database, session.id, { provider, status: null, reason: null });
    const { language } = session;
    const name = titleOf(config, provider);
    return { kind: 'started', language, ...brandOf(session), name, authorization_url };
  } catch (error) {
    if (!isError(error, 'USER_NOT_FOUND')) throw error;
    return refusal(config, 'user_gone', session);
  }
}

interface FinishDeps {
  readonly config: Config;
  readonly database: Database;
}

/** Ends an attempt of the connect page: the browser returns to the page, or to the application if nothing is left to do. */
export async function finishInSession(
  { config, database }: FinishDeps,
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
