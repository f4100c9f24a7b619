import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Config } from '../../../config.ts';
import type { Developer } from '../../../contracts/auth/schemas.ts';
import { auth } from '../../../contracts/auth.ts';
import { Nothing } from '../../../domain/contract.ts';
import { isError, ServiceError } from '../../../domain/errors.ts';
import { parseParams } from '../../../domain/params.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { publicUrl, titlesOf } from '../../../runtime/provider-settings.ts';
import { type Endpoint, endpoints, isOfConsole } from '../rules/endpoints.ts';
import { admit, enter } from '../work/admission.ts';
import { sendFailureToBrowser, sendJson } from '../work/answer.ts';
import type { Exchange, Pipeline } from '../work/exchange.ts';
import { gather } from '../work/parameters.ts';
import { countedAddress, countingFailures, serve } from '../work/request-pipeline.ts';
import { sendConsolePage, sendEmbeddedPage } from './console-files.ts';

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

const cookieName = 'pulsebus_console';
const challengeCookie = 'pulsebus_passkey';
/** Requests of the console's pages have this header. It cannot be set by a form, or by a page of another origin. */
const csrfHeader = 'X-CSRF-Token';

/** A new session token: 43 characters of base64url. */
const newSessionToken = () => randomBytes(32).toString('base64url');

/** The SHA-256 of a session token or of the token of a sign-in link, in hex. Only this is passed on and stored. */
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** The CSRF token of a session. It is derived, so that nothing is stored, and does not reveal the session token. */
const csrfTokenOf = (token: string) => createHash('sha256').update(`csrf:${token}`).digest('base64url');

/** The session token of a request; null without one. */
const sessionTokenOf = (req: IncomingMessage) => tokenIn(req, cookieName);

function tokenIn(req: IncomingMessage, name: string): string | null {
  const token = cookieOf(req, name);
  return token !== null && /^[\w-]{43}$/.test(token) ? token : null;
}

// Null, too, if the cookie is there twice: one of them was planted.
function cookieOf({ headers }: IncomingMessage, name: string): string | null {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
  return values.length === 1 ? (values[0] ?? null) : null;
}

/** The project that the console's page chose; the server decides whether the developer may enter it. */
function projectNamed({ headers }: IncomingMessage): { project?: string } {
  const project = /(?:^|; )pulsebus_project=([a-z0-9-]{1,40})(?:;|$)/.exec(headers.cookie ?? '')?.[1];
  return project === undefined ? {} : { project };
}

/** Sets the cookie. Browsers send it to the paths of the console only, so the API never receives it. */
function setSessionCookie(res: ServerResponse, token: string, { PUBLIC_URL }: Config): void {
  res.setHeader('Set-Cookie', `${cookieName}=${token}; ${cookieAttributes(PUBLIC_URL)}`);
}

/** Sets the cookie of a sign-in with a passkey, which has a few minutes. */
function setChallengeCookie(res: ServerResponse, challenge: string, { PUBLIC_URL }: Config): void {
  const value = `${challengeCookie}=${challenge}; Max-Age=300`;
  res.setHeader('Set-Cookie', `${value}; ${cookieAttributes(PUBLIC_URL, '/console/session/passkey')}`);
}

/** The challenge that a browser was given; null without one. */
const challengeOf = (req: IncomingMessage) => tokenIn(req, challengeCookie);

/** Removes the cookie from the browser. */
function removeSessionCookie(res: ServerResponse, { PUBLIC_URL }: Config): void {
  res.setHeader('Set-Cookie', `${cookieName}=; Max-Age=0; ${cookieAttributes(PUBLIC_URL)}`);
}

// A browser ignores a Secure cookie over plain HTTP, as npm start serves it.
function cookieAttributes(publicUrl: string | undefined, path = '/console'): string {
  const secure = publicUrl?.startsWith('https:') ? '; Secure' : '';
  return `Path=${path}; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * Refuses a request that a page of another origin may have caused. Browsers that send Sec-Fetch-Site say so themselves; a
 * request that is not a GET always has an Origin. @throws CONSOLE_REFUSED (403)
 */
function refuseOtherOrigins({ headers, method }: IncomingMessage, { PUBLIC_URL }: Config): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw refused();
  const { origin, host } = headers;
  if (origin === undefined && (method === 'GET' || method === 'HEAD')) return;
  if (origin === undefined || !URL.canParse(origin)) throw refused();
  const own = PUBLIC_URL === undefined ? undefined : new URL(PUBLIC_URL).origin;
  if (new URL(origin).host !== host && origin !== own) throw refused();
}

/**
 * Refuses a request without the CSRF token of its session. A stream is read by a link, which has no headers: the browser has to
 * state that the link is on a page of this origin. @throws CONSOLE_REFUSED (403)
 */
function refuseWithoutToken({ headers }: IncomingMessage, token: string, isStream: boolean): void {
  const given = headers[csrfHeader.toLowerCase()];
  if (typeof given === 'string' && sameText(given, csrfTokenOf(token))) return;
  if (given === undefined && isStream && headers['sec-fetch-site'] === 'same-origin') return;
  throw refused();
}

const refused = () => new ServiceError('CONSOLE_REFUSED');

// In constant time.
function sameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const oidcPath = '/console/oidc';
const oidcCookie = 'pulsebus_oidc';
const cookieSeconds = 600;
const { beginOidc, startSessionByOidc } = auth.actions;
const oidcRoute = {
  method: 'GET',
  access: 'public',
  tag: 'Console',
  audit: { none: 'The entry is written with the session.' },
} as const;

/** Begins a sign-in with the provider of OIDC_ISSUER. */
export const oidcBegin: Endpoint = {
  action: 'auth.beginOidc',
  definition: { ...beginOidc, params: Nothing },
  route: { ...oidcRoute, path: '/oidc' },
};

/** Where the provider sends the browser back to. */
export const oidcCallback: Endpoint = {
  action: 'auth.startSessionByOidc',
  definition: { ...startSessionByOidc, params: Nothing },
  route: { ...oidcRoute, path: '/oidc/callback', countFailures: true },
};

/** Sends the browser to the provider, with a cookie that the callback needs. */
export const serveOidcBegin = (pipeline: Pipeline, exchange: Exchange): Promise<void> =>
  asPage(exchange, async () => {
    await enter(pipeline, exchange, true);
    const here = publicUrl(pipeline.config, pipeline.url()) + oidcPath;
    if (isOtherName(pipeline, exchange.req, here)) return redirect(exchange.res, here, []);
    const { url, flow } = await exchange.call('auth.beginOidc', { redirect_uri: `${here}/callback` });
    redirect(exchange.res, url, [oidcCookieValue(pipeline.config, flow, cookieSeconds)]);
  });

/** Ends the sign-in with a session of the console. */
export const serveOidcCallback = (pipeline: Pipeline, exchange: Exchange): Promise<void> =>
  asPage(exchange, async () => {
    const { req, res, call } = exchange;
    await enter(pipeline, exchange, true);
    const token = newSessionToken();
    const given = { query: queryOf(req), flow: cookieOf(req, oidcCookie), session_hash: hashOf(token) };
    const options = { meta: countedAddress(pipeline, exchange, null) };
    await countingFailures(pipeline, exchange, null, () => call('auth.startSessionByOidc', given, options));
    setSessionCookie(res, token, pipeline.config);
    const session = String(res.getHeader('Set-Cookie'));
    redirect(res, '/console', [session, oidcCookieValue(pipeline.config, '', 0)]);
  });

// Without PUBLIC_URL the callback is at the address of this process, for example 127.0.0.1. A cookie that is set at localhost is
// not sent there. Behind a proxy, which may replace the name, PUBLIC_URL decides alone.
function isOtherName({ config }: Pipeline, { headers }: IncomingMessage, own: string): boolean {
  return config.PUBLIC_URL === undefined && headers.host !== new URL(own).host;
}

async function asPage({ req, res }: Exchange, work: () => Promise<void>): Promise<void> {
  res.setHeader('Cache-Control', 'no-store');
  await work().catch((error: unknown) => sendFailureToBrowser(req, res, error));
}

function redirect(res: ServerResponse, location: string, cookies: readonly string[]): void {
  res.setHeader('Set-Cookie', [...cookies]);
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.writeHead(303, { Location: location, 'Content-Length': 0 }).end();
}

// The provider's page leads to the callback, which a Strict cookie would not be sent to.
function oidcCookieValue({ PUBLIC_URL }: Config, value: string, seconds: number): string {
  const secure = PUBLIC_URL?.startsWith('https:') ? '; Secure' : '';
  return `${oidcCookie}=${value}; Path=${oidcPath}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

const longestQuery = 8192;

function queryOf({ url = '' }: IncomingMessage): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start, start + longestQuery);
}
