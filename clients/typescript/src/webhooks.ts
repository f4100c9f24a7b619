import type { WebhookEvent } from './generated/events.gen.ts';

/** The headers of a request: those of `fetch`, or an object as Node and Express have it. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The message is not of Pulsebus, or too old. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: 'HEADERS_MISSING' | 'TIMESTAMP_REFUSED' | 'SIGNATURE_INVALID';

  constructor(code: WebhookVerificationError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

const toleranceSeconds = 300;

/**
 * Verifies a message by Standard Webhooks 1.0 and returns its event. `body` is the text or the bytes as they arrived,
 * before parsing. During a rotation pass both secrets; one valid signature suffices. The timestamp may differ by 5 minutes.
 * @throws WebhookVerificationError
 */
export async function verify(
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
  secret: string | readonly string[],
): Promise<WebhookEvent> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => header(headers, name));
  if (!id || !timestamp || !signature)
    throw new WebhookVerificationError('HEADERS_MISSING', 'The request has no webhook headers.');
  requireRecent(timestamp);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  for (const one of secrets) if (await isSigned(content, signature, one)) return JSON.parse(text);
  throw new WebhookVerificationError('SIGNATURE_INVALID', 'No signature of the message is valid.');
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  const value = headers instanceof Headers ? headers.get(`webhook-${name}`) : headers[`webhook-${name}`];
  return typeof value === 'string' ? value : value?.[0];
}

function requireRecent(timestamp: string): void {
  const isNumber = /^\d{1,12}$/.test(timestamp);
  if (isNumber && Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds) return;
  throw new WebhookVerificationError(
    'TIMESTAMP_REFUSED',
    'The time of the message is more than 5 minutes off.',
  );
}

// `subtle.verify` compares in constant time.
async function isSigned(
  content: Uint8Array<ArrayBuffer>,
  signature: string,
  secret: string,
): Promise<boolean> {
  const { subtle } = await webCrypto();
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (bytes === null || bytes.length === 0)
    throw new TypeError('The secret is not a `whsec_…` of an endpoint.');
  const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const part of signature.split(' ').slice(0, mostSignatures)) {
    const given = part.startsWith('v1,') ? bytesOf(part.slice(3)) : null;
    if (given !== null && (await subtle.verify('HMAC', key, given, content))) return true;
  }
  return false;
}

const mostSignatures = 16;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

// Node 18 has no global `crypto`. The name is a variable, so that bundlers for browsers do not look for the module.
async function webCrypto(): Promise<{ readonly subtle: typeof crypto.subtle }> {
  if (globalThis.crypto !== undefined) return globalThis.crypto;
  const name = 'node:crypto';
  const { webcrypto } = await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
  return webcrypto;
}
