import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { BrowserProof } from '../../../contracts/connect/sessions.ts';
import { publicUrl } from '../../../runtime/provider-settings.ts';
import type { Pipeline } from './exchange.ts';

/**
 * The cookie that binds a session of the connect page to one browser: a random secret, and a proof that the browser had the
 * token of the session. Only their hashes leave the gateway. It is Lax, because a provider's redirect brings the browser back.
 */
const form = /^([\w-]{43})\.([0-9a-f]{64})$/;
const lifetimeSeconds = 3600;
/** A browser keeps few sessions. More cookies are ignored. */
const mostSessions = 20;
const nameForm = /^(__Host-)?connect-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** What the cookies are limited to: the address of the API as browsers see it. */
type Base = Pick<URL, 'protocol' | 'pathname'>;

/** The address of the API as browsers see it. */
export function baseOf({ config, url }: Pick<Pipeline, 'config' | 'url'>): URL {
  return new URL(publicUrl(config, url()));
}

/** The proofs of a browser by session. */
export function proofsOf(req: IncomingMessage, base: Base): Readonly<Record<string, BrowserProof>> {
  const found = cookiesOf(req, base).flatMap(([id, secret, proof]) => [
    [id, { secret_hash: hashOf(secret), proof }] as const,
  ]);
  return Object.fromEntries(found);
}

/** The proof of a browser for one session; null if it has none. */
export function proofOf(req: IncomingMessage, base: Base, sessionId: string): BrowserProof | null {
  return proofsOf(req, base)[sessionId] ?? null;
}

/** The value that a form of the session must contain: pages of other origins cannot read it. */
export function formToken(req: IncomingMessage, base: Base, sessionId: string): string | null {
  const own = cookiesOf(req, base).find(([id]) => id === sessionId);
  return own === undefined ? null : createHmac('sha256', own[1]).update(`form ${sessionId}`).digest('hex');
}

/**
 * New cookies for a session. With https the prefix __Host- keeps other hosts of the domain from setting it, which requires
 * the path `/`. Without, the cookie is limited to the page and the callbacks.
 */
export function newCookies(base: Base, sessionId: string, token: string): string[] {
  const secret = randomBytes(32).toString('base64url');
  const proof = createHmac('sha256', hashOf(token)).update(hashOf(secret)).digest('hex');
  const value = `connect-${sessionId}=${secret}.${proof}`;
  const limits = `Max-Age=${lifetimeSeconds}; HttpOnly; SameSite=Lax`;
  if (base.protocol === 'https:') return [`__Host-${value}; Path=/; Secure; ${limits}`];
  const path = base.pathname.replace(/\/$/, '');
  return [`${path}/connect`, `${path}/api/v1/connect`].map((one) => `${value}; Path=${one}; ${limits}`);
}

/** The stored form of a token or a secret. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

// With https, a cookie without the prefix may have been set by another host.
function cookiesOf(
  { headers }: IncomingMessage,
  { protocol }: Base,
): [id: string, secret: string, proof: string][] {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  const found = pairs.flatMap(([name = '', value = '']): [string, string, string][] => {
    const [, prefix, id] = nameForm.exec(name) ?? [];
    const [, secret, proof] = form.exec(value) ?? [];
    const isTrusted = protocol !== 'https:' || prefix !== undefined;
    return !isTrusted || id === undefined || secret === undefined || proof === undefined
      ? []
      : [[id, secret, proof]];
  });
  return found.slice(0, mostSessions);
}
