import { z } from 'zod';
import type { Developer } from '../../../contracts/auth/schemas.ts';
import { auth } from '../../../contracts/auth.ts';
import { Nothing } from '../../../domain/contract.ts';
import { isError, ServiceError } from '../../../domain/errors.ts';
import { parseParams } from '../../../domain/params.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { titlesOf } from '../../../runtime/provider-settings.ts';
import { refuseUnstorable } from '../body/body.ts';
import { type Endpoint, endpoints, isOfConsole } from '../endpoints.ts';
import { admit, enter } from '../pipeline/admission.ts';
import { sendJson } from '../pipeline/answer.ts';
import type { Exchange, Pipeline } from '../pipeline/exchange.ts';
import { gather } from '../pipeline/parameters.ts';
import { countedAddress, countingFailures, serve } from '../pipeline/request-pipeline.ts';
import { sendConsolePage, sendEmbeddedPage } from './console-files.ts';
import {
  challengeOf,
  csrfTokenOf,
  hashOf,
  newSessionToken,
  projectNamed,
  refuseOtherOrigins,
  refuseWithoutToken,
  removeSessionCookie,
  sessionTokenOf,
  setChallengeCookie,
  setSessionCookie,
} from './console-request.ts';

/** The routes of the API that the console calls below its own path. */
export const consoleEndpoints: readonly Endpoint[] = endpoints.filter(({ route }) => isOfConsole(route));

const none = { none: 'The entry is written with the session.' };
const session = { path: '/session', access: 'public', tag: 'Console', audit: none } as const;
const { startSession, startSessionByLink, endSession, me } = auth.actions;
const { beginPasskeySignIn, startSessionByPasskey } = auth.actions;
const Login = startSession.params.omit({ session_hash: true });
const OfPasskey = startSessionByPasskey.params.pick({ credential: true });
const Link = z.object({ token: z.string().min(1).max(200) });

/** Sign-in with a password. */
export const signIn: Endpoint = {
  action: 'auth.startSession',
  definition: { ...startSession, params: Login },
  route: { ...session, method: 'POST', countFailures: true },
};

/** Sign-in with the token of a link. */
export const signInByLink: Endpoint = {
  action: 'auth.startSessionByLink',
  definition: { ...startSessionByLink, params: Link },
  route: { ...session, path: '/session/link', method: 'POST', countFailures: true },
};

/** Begins a sign-in with a passkey. */
export const passkeyBegin: Endpoint = {
  action: 'auth.beginPasskeySignIn',
  definition: beginPasskeySignIn,
  route: { ...session, path: '/session/passkey/begin', method: 'POST', bodyOptional: true },
};

/** Sign-in with the answer of a passkey. */
export const signInByPasskey: Endpoint = {
  action: 'auth.startSessionByPasskey',
  definition: { ...startSessionByPasskey, params: OfPasskey },
  route: { ...session, path: '/session/passkey', method: 'POST', countFailures: true },
};

/** The session of the browser, if there is one. */
export const readSession: Endpoint = {
  action: 'auth.me',
  definition: me,
  route: { ...session, method: 'GET', access: 'account' },
};

/** Log-out. */
export const signOut: Endpoint = {
  action: 'auth.endSession',
  definition: { ...endSession, params: Nothing },
  route: { ...session, method: 'DELETE', access: 'account' },
};

/** Serves a route of the API with the session of the console as its credential. Credentials in headers are ignored. */
export async function serveConsole(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  await serve(pipeline, await withSession(pipeline, exchange));
}

/**
 * The request with the session of its cookie as the credential. @throws CONSOLE_REFUSED (403) if no page of the console sent
 * it, UNAUTHENTICATED (401)
 */
export async function withSession(pipeline: Pipeline, exchange: Exchange): Promise<Exchange> {
  const { req, endpoint } = exchange;
  const token = await requireSession(pipeline, exchange);
  await checking(pipeline, exchange, () =>
    refuseWithoutToken(req, token, endpoint.route.stream !== undefined),
  );
  return { ...exchange, credential: { session_hash: hashOf(token) }, ...projectNamed(req) };
}

/** Starts a session and sets its cookie. */
export async function serveSignIn(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  const { req, res } = exchange;
  await checking(pipeline, exchange, () => refuseOtherOrigins(req, pipeline.config));
  await enter(pipeline, exchange, true);
  const given = await gather(pipeline, exchange);
  refuseUnstorable(given);
  const token = newSessionToken();
  const meta = { ...countedAddress(pipeline, exchange, null), gateway_url: pipeline.url() };
  const developer = await countingFailures(pipeline, exchange, null, () =>
    start(exchange, given, { meta, session_hash: hashOf(token) }),
  );
  setSessionCookie(res, token, pipeline.config);
  const sandbox = pipeline.config.SANDBOX_URL !== undefined;
  const provider_titles = titlesOf(pipeline.config);
  sendJson(res, 201, { developer, csrf_token: csrfTokenOf(token), sandbox, provider_titles });
}

function start(
  { req, call, endpoint }: Exchange,
  given: unknown,
  { meta, session_hash }: { readonly meta: Meta; readonly session_hash: string },
): Promise<Developer> {
  if (endpoint === signInByLink)
    return call('auth.startSessionByLink', { ...linkIn(given), session_hash }, { meta });
  if (endpoint !== signInByPasskey)
    return call('auth.startSession', { ...parseParams(Login, given), session_hash }, { meta });
  const answer = { ...parseParams(OfPasskey, given), challenge: challengeOf(req) };
  return call('auth.startSessionByPasskey', { ...answer, session_hash }, { meta });
}

const linkIn = (given: unknown) => ({ link_hash: hashOf(parseParams(Link, given).token) });

/** Sends a challenge for a passkey, and a cookie with it: the answer has to come from the same browser. */
export async function servePasskeyBegin(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  const { req, res, call } = exchange;
  await checking(pipeline, exchange, () => refuseOtherOrigins(req, pipeline.config));
  await enter(pipeline, exchange, true);
  const options = await call('auth.beginPasskeySignIn', {}, { meta: { gateway_url: pipeline.url() } });
  setChallengeCookie(res, options.challenge, pipeline.config);
  sendJson(res, 200, options);
}

/** Answers whose session the cookie is of, with its CSRF token; nulls without a session. */
export async function serveSession(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  const { req, res, call } = exchange;
  await checking(pipeline, exchange, () => refuseOtherOrigins(req, pipeline.config));
  const token = sessionTokenOf(req);
  if (token === null) await enter(pipeline, exchange, true);
  const caller = token === null ? null : await callerOf(pipeline, exchange, token);
  const developer = caller === null ? null : await call('auth.me', {}, { meta: { caller } });
  if (token !== null && developer === null) removeSessionCookie(res, pipeline.config);
  sendJson(res, 200, {
    developer,
    csrf_token: token === null || developer === null ? null : csrfTokenOf(token),
    sandbox: developer !== null && pipeline.config.SANDBOX_URL !== undefined,
    provider_titles: titlesOf(pipeline.config),
    sign_in: waysOf(pipeline.config),
  });
}

// How one may sign in: with a password, and with the provider of this name.
const waysOf = ({ PASSWORDS, OIDC_ISSUER }: Pipeline['config']) => ({
  passwords: PASSWORDS === 'on',
  oidc: OIDC_ISSUER === undefined ? null : new URL(OIDC_ISSUER).hostname,
});

async function callerOf(pipeline: Pipeline, exchange: Exchange, token: string) {
  try {
    return await admit(pipeline, { ...exchange, credential: { session_hash: hashOf(token) } });
  } catch (error) {
    if (isError(error, 'UNAUTHENTICATED')) return null;
    throw error;
  }
}

/** Ends the session on the server and removes its cookie. */
export async function serveSignOut(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  const { req, res, call } = exchange;
  const token = await requireSession(pipeline, exchange);
  await checking(pipeline, exchange, () => refuseWithoutToken(req, token, false));
  await enter(pipeline, exchange, true);
  await call('auth.endSession', { session_hash: hashOf(token) });
  removeSessionCookie(res, pipeline.config);
  sendJson(res, 200, {});
}

/** @throws CONSOLE_REFUSED (403), UNAUTHENTICATED (401) */
async function requireSession(pipeline: Pipeline, exchange: Exchange): Promise<string> {
  await checking(pipeline, exchange, () => refuseOtherOrigins(exchange.req, pipeline.config));
  const token = sessionTokenOf(exchange.req);
  if (token !== null) return token;
  await enter(pipeline, exchange, false);
  throw new ServiceError('UNAUTHENTICATED', 'Sign in to the console.');
}

// A refused request counts as one without a credential.
async function checking(pipeline: Pipeline, exchange: Exchange, check: () => void): Promise<void> {
  try {
    check();
  } catch (error) {
    await enter(pipeline, exchange, false);
    throw error;
  }
}

const { findEmbed } = auth.actions;

/** The page of one user's days within pages of other origins. Its path is the label in metrics and traces, not the token. */
export const embedPage: Endpoint = {
  action: 'auth.findEmbed',
  definition: { ...findEmbed, params: Nothing },
  route: { method: 'GET', path: '/console/embed/:token', access: 'public', tag: 'Console' },
};

const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const longestToken = 4096;

/** Sends the page with the policy of its token. With any other text no page may show it, and the status is 404. */
export async function serveEmbed(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  const { res, call, path } = exchange;
  await enter(pipeline, exchange, true);
  const token = path.token ?? '';
  const isToken = tokenForm.test(token) && token.length <= longestToken;
  const { origins } = isToken ? await call('auth.findEmbed', { token }) : { origins: null };
  if (origins === null) return sendConsolePage(res, 404);
  const content = JSON.stringify(titlesOf(pipeline.config));
  sendEmbeddedPage(res, origins, { name: 'provider-titles', content });
}
