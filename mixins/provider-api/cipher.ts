import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Config } from '../../config.ts';

/**
 * AES-256-GCM for secrets at rest. A value has the form `v1.<key id>.<nonce>.<tag and ciphertext>`. The key id
 * identifies the configured secret, so that a new secret can be put first while old values stay readable. `boundTo` (a
 * connection's id) is authenticated: a value that was copied to another row is rejected.
 */
export interface Cipher {
  /** The prefix of values that the first secret encrypted. Other values should be encrypted again. */
  readonly newest: string;
  /** The prefixes of values that any configured secret decrypts. */
  readonly readable: readonly string[];
  encrypt(text: string, boundTo: string): string;
  /** @throws if the value was changed, moved to another row, or encrypted with a secret that is not configured */
  decrypt(value: string, boundTo: string): string;
}

/** A key of AES-256. `id` names the secret that it is derived from. */
export interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** The cipher of ENCRYPTION_KEY. Its first secret encrypts, all decrypt. @throws if the setting is missing */
export function cipherOf({ ENCRYPTION_KEY }: Pick<Config, 'ENCRYPTION_KEY'>): Cipher {
  const keys = keysOf(ENCRYPTION_KEY, 'provider tokens');
  const [first] = keys;
  if (first === undefined) throw new Error('ENCRYPTION_KEY is not set');
  return {
    newest: prefixOf(first),
    readable: keys.map(prefixOf),
    encrypt: (text, boundTo) => encrypt(first, text, boundTo),
    decrypt: (value, boundTo) => decrypt(keys, value, boundTo),
  };
}

function prefixOf({ id }: Key): string {
  return `v1.${id}.`;
}

/** The keys that secrets give for a purpose. */
export function keysOf(secrets: readonly string[] | undefined, purpose: string): Key[] {
  return (secrets ?? []).map((secret) => {
    const bytes = Buffer.from(hkdfSync('sha256', secret, '', `pulsebus ${purpose}`, 32));
    return { bytes, id: createHash('sha256').update(bytes).digest('hex').slice(0, 8) };
  });
}

/** Encrypts: the nonce, the tag and the ciphertext. */
export function seal({ bytes }: Key, text: Buffer, boundTo: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, bytes, nonce).setAAD(Buffer.from(boundTo));
  const parts = [cipher.update(text), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...parts]);
}

/** Decrypts what `seal` returned. @throws if it was changed or moved to another row */
export function unseal({ bytes }: Key, sealed: Buffer, boundTo: string): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, bytes, nonce, { authTagLength: tagBytes });
  const start = nonceBytes + tagBytes;
  decipher.setAAD(Buffer.from(boundTo)).setAuthTag(sealed.subarray(nonceBytes, start));
  return Buffer.concat([decipher.update(sealed.subarray(start)), decipher.final()]);
}

function encrypt(key: Key, text: string, boundTo: string): string {
  const sealed = seal(key, Buffer.from(text), boundTo);
  const parts = [sealed.subarray(0, nonceBytes), sealed.subarray(nonceBytes)];
  return prefixOf(key) + parts.map((part) => part.toString('base64url')).join('.');
}

function decrypt(keys: readonly Key[], value: string, boundTo: string): string {
  const [version, keyId, nonce = '', payload = ''] = value.split('.');
  const key = keys.find(({ id }) => id === keyId);
  if (version !== 'v1' || key === undefined) throw new Error('no configured key made this value');
  const sealed = Buffer.concat([Buffer.from(nonce, 'base64url'), Buffer.from(payload, 'base64url')]);
  return unseal(key, sealed, boundTo).toString('utf8');
}
