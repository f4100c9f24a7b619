import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { headerOfOpenWearables, isOfOpenWearables } from './open-wearables.ts';

/** A credential in the form of `auth.admit`. */
export type Credential =
  | { readonly api_key_hash: string }
  | { readonly token: string }
  | { readonly session_hash: string };

/** A credential in an invalid form; the sentence says how to send it. */
interface WrongForm {
  readonly problem: string;
}

/** How a credential is sent; errors and the documentation quote it. */
export const howToSend =
  'Send an API key as `X-API-Key: <key>` or `Authorization: Bearer <key>`, a token as `Authorization: Bearer <token>`.';

const keyHeaders = ['X-API-Key', 'X-Service-API-Key', 'X-Pulsebus-API-Key', headerOfOpenWearables] as const;
const longestCredential = 4096;

/** The credential of an upload. Apps also send a token without `Bearer`. */
export function credentialOfUpload(headers: IncomingHttpHeaders): Credential | WrongForm | null {
  if (isOfOpenWearables(headers)) return credentialOf(headers);
  const bare = headers.authorization?.trim() ?? '';
  if (isToken(bare)) return { token: bare };
  return bare.startsWith('sk-') ? keyCredential(bare) : credentialOf(headers);
}

/**
 * The credential of a request: a key in one of the key headers, or a key or token as a bearer. Null if there is none. Key
 * headers that differ are refused: one of them would decide whose data is read, and the order of a list which one.
 */
export function credentialOf(headers: IncomingHttpHeaders): Credential | WrongForm | null {
  const sent = keyHeaders.flatMap((header) => {
    const value = headers[header.toLowerCase()];
    return value === undefined ? [] : [{ header, key: String(value).trim() }];
  });
  const [first] = sent;
  const other = sent.find(({ key }) => key !== first?.key);
  if (first !== undefined && other !== undefined)
    return wrongForm(`The headers ${first.header} and ${other.header} have different keys.`);
  if (first !== undefined) return keyIn(first.header, first.key);
  const { authorization } = headers;
  return authorization === undefined ? null : bearerIn(authorization.trim());
}

function keyIn(header: string, value: string): Credential | WrongForm {
  if (value === '') return wrongForm(`The header ${header} is empty.`);
  if (/^\S+ +\S/.test(value))
    return wrongForm(`The header ${header} takes a key alone, without a scheme before it.`);
  if (isToken(value)) return wrongForm(`The header ${header} takes an API key, not a token.`);
  return keyCredential(value);
}

function bearerIn(value: string): Credential | WrongForm {
  if (value === '') return wrongForm('The header Authorization is empty.');
  const [scheme = '', ...rest] = value.split(/ +/);
  if (scheme.toLowerCase() !== 'bearer') return wrongForm(schemeProblem(scheme, rest.length > 0));
  const [bearer] = rest;
  if (bearer === undefined) return wrongForm('The header Authorization has nothing after Bearer.');
  if (rest.length > 1) return wrongForm('The header Authorization has more than one word after Bearer.');
  if (bearer.startsWith('sk-') || bearer.length > longestCredential) return keyCredential(bearer);
  return { token: bearer };
}

const schemes = ['Basic', 'Digest', 'Negotiate', 'Token', 'ApiKey', 'Key', 'OAuth', 'JWT'];

// A word that is not a known scheme may be the credential itself, so the message does not quote it.
function schemeProblem(word: string, hasMore: boolean): string {
  const scheme = schemes.find((one) => one.toLowerCase() === word.toLowerCase());
  if (scheme !== undefined)
    return `The header Authorization has the scheme ${scheme}, which is not supported.`;
  return hasMore
    ? 'The header Authorization has an unknown scheme.'
    : 'The header Authorization has no scheme before its credential.';
}

/** Three parts of base64url: header, payload and signature of a JWT. */
function isToken(value: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(value);
}

function wrongForm(problem: string): WrongForm {
  return { problem: `${problem} ${howToSend}` };
}

/** An API key as a credential. */
export function keyCredential(key: string): { readonly api_key_hash: string } {
  return { api_key_hash: hash('sha256', key, 'hex') };
}
