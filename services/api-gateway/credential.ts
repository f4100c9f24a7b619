import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A credential as `auth.admit` takes it. */
export type Credential = { readonly api_key_hash: string } | { readonly token: string };

const keyHeaders = ['x-api-key', 'x-service-api-key', 'x-pulsebus-api-key'] as const;
const longestCredential = 4096;

/**
 * The credential of a request: a key in one of the key headers, or a key or token as a bearer. Null where there
 * is none; an empty or overlong one, or another scheme, is a credential that nobody has.
 */
export function credentialOf(headers: IncomingHttpHeaders): Credential | null {
  for (const name of keyHeaders) {
    const value = headers[name];
    if (value !== undefined) return keyCredential(String(value));
  }
  const { authorization } = headers;
  if (authorization === undefined) return null;
  const bearer = /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
  return bearer.startsWith('sk-') || bearer.length > longestCredential || bearer === ''
    ? keyCredential(bearer)
    : { token: bearer };
}

function keyCredential(key: string): Credential {
  return { api_key_hash: createHash('sha256').update(key.trim()).digest('hex') };
}
