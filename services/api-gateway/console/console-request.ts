import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../../config.ts';
import { ServiceError } from '../../../domain/errors.ts';

const cookieName = 'pulsebus_console';
const challengeCookie = 'pulsebus_passkey';
/** Requests of the console's pages have this header. It cannot be set by a form, or by a page of another origin. */
const csrfHeader = 'X-CSRF-Token';

/** A new session token: 43 characters of base64url. */
export const newSessionToken = () => randomBytes(32).toString('base64url');

/** The SHA-256 of a session token or of the token of a sign-in link, in hex. Only this is passed on and stored. */
export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** The CSRF token of a session. It is derived, so that nothing is stored, and does not reveal the session token. */
export const csrfTokenOf = (token: string) =>
  createHash('sha256').update(`csrf:${token}`).digest('base64url');

/** The session token of a request; null without one. */
export const sessionTokenOf = (req: IncomingMessage) => tokenIn(req, cookieName);

// Null, too, if the cookie is there twice: one of them was planted.
function tokenIn({ headers }: IncomingMessage, name: string): string | null {
  const found = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  const [only] = found;
  const token = only?.slice(name.length + 1) ?? '';
  return found.length === 1 && /^[\w-]{43}$/.test(token) ? token : null;
}

/** The project that the console's page chose; the server decides whether the developer may enter it. */
export function projectNamed({ headers }: IncomingMessage): { project?: string } {
  const project = /(?:^|; )pulsebus_project=([a-z0-9-]{1,40})(?:;|$)/.exec(headers.cookie ?? '')?.[1];
  return project === undefined ? {} : { project };
}

/** Sets the cookie. Browsers send it to the paths of the console only, so the API never receives it. */
export function setSessionCookie(res: ServerResponse, token: string, { PUBLIC_URL }: Config): void {
  res.setHeader('Set-Cookie', `${cookieName}=${token}; ${attributes(PUBLIC_URL)}`);
}

/** Sets the cookie of a sign-in with a passkey, which has a few minutes. */
export function setChallengeCookie(res: ServerResponse, challenge: string, { PUBLIC_URL }: Config): void {
  const value = `${challengeCookie}=${challenge}; Max-Age=300`;
  res.setHeader('Set-Cookie', `${value}; ${attributes(PUBLIC_URL, '/console/session/passkey')}`);
}

/** The challenge that a browser was given; null without one. */
export const challengeOf = (req: IncomingMessage) => tokenIn(req, challengeCookie);

/** Removes the cookie from the browser. */
export function removeSessionCookie(res: ServerResponse, { PUBLIC_URL }: Config): void {
  res.setHeader('Set-Cookie', `${cookieName}=; Max-Age=0; ${attributes(PUBLIC_URL)}`);
}

// A browser ignores a Secure cookie over plain HTTP, as npm start serves it.
function attributes(publicUrl: string | undefined, path = '/console'): string {
  const secure = publicUrl?.startsWith('https:') ? '; Secure' : '';
  return `Path=${path}; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * Refuses a request that a page of another origin may have caused. Browsers that send Sec-Fetch-Site say so themselves; a
 * request that is not a GET always has an Origin. @throws CONSOLE_REFUSED (403)
 */
export function refuseOtherOrigins({ headers, method }: IncomingMessage, { PUBLIC_URL }: Config): void {
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
export function refuseWithoutToken({ headers }: IncomingMessage, token: string, isStream: boolean): void {
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
