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

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** The cipher of ENCRYPTION_KEY. Its first secret encrypts, all decrypt. @throws if the setting is missing */
export function cipherOf({ ENCRYPTION_KEY }: Pick<Config, 'ENCRYPTION_KEY'>): Cipher {
  const keys = (ENCRYPTION_KEY ?? []).map(keyOf);
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

function keyOf(secret: string): Key {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'pulsebus provider tokens', 32));
  return { bytes, id: createHash('sha256').update(bytes).digest('hex').slice(0, 8) };
}

function encrypt(key: Key, text: string, boundTo: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key.bytes, nonce).setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const payload = Buffer.concat([cipher.getAuthTag(), sealed]);
  return `${prefixOf(key)}${nonce.toString('base64url')}.${payload.toString('base64url')}`;
}

function decrypt(keys: readonly Key[], value: string, boundTo: string): string {
  const [version, keyId, nonce = '', payload = ''] = value.split('.');
  const key = keys.find(({ id }) => id === keyId);
  if (version !== 'v1' || key === undefined) throw new Error('no configured key made this value');
  const bytes = Buffer.from(payload, 'base64url');
  const decipher = createDecipheriv(algorithm, key.bytes, Buffer.from(nonce, 'base64url'), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(0, tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(tagBytes)), decipher.final()]).toString('utf8');
}
