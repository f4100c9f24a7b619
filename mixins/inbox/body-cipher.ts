import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Config } from '../../config.ts';

/** An encrypted body. `key_id` names the secret. */
interface SealedBytes {
  readonly key_id: string;
  readonly sealed: Buffer;
}

/**
 * AES-256-GCM for bodies that are kept for long. They are compressed before. `boundTo` is authenticated: a body that was
 * copied to another row is rejected. The keys are derived from ENCRYPTION_KEY and differ from those of `cipherOf`.
 */
export interface BodyCipher {
  /** The id of the first secret, which encrypts. */
  readonly newestKeyId: string;
  encrypt(body: Buffer, boundTo: string): Promise<SealedBytes>;
  /** @throws UnreadableBody if the value was changed, moved to another row, or encrypted with a secret that is not configured */
  decrypt(given: SealedBytes, boundTo: string): Promise<Buffer>;
}

/** No configured secret decrypts a body. */
export class UnreadableBody extends Error {}

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** The level that costs least. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 };

/** The cipher of kept bodies. The first secret encrypts, all decrypt. @throws UnreadableBody if ENCRYPTION_KEY is missing */
export function bodyCipherOf({ ENCRYPTION_KEY }: Pick<Config, 'ENCRYPTION_KEY'>): BodyCipher {
  const keys = (ENCRYPTION_KEY ?? []).map(keyOf);
  const [first] = keys;
  if (first === undefined) throw new UnreadableBody('ENCRYPTION_KEY is not set');
  return {
    newestKeyId: first.id,
    encrypt: async (body, boundTo) => encrypt(first, await compress(body, { params }), boundTo),
    decrypt: async (given, boundTo) => decompress(decrypt(keys, given, boundTo)),
  };
}

function keyOf(secret: string): Key {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'pulsebus kept bodies', 32));
  return { bytes, id: createHash('sha256').update(bytes).digest('hex').slice(0, 8) };
}

function encrypt({ id, bytes }: Key, text: Buffer, boundTo: string): SealedBytes {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, bytes, nonce).setAAD(Buffer.from(boundTo));
  const parts = [cipher.update(text), cipher.final()];
  return { key_id: id, sealed: Buffer.concat([nonce, cipher.getAuthTag(), ...parts]) };
}

function decrypt(keys: readonly Key[], { key_id, sealed }: SealedBytes, boundTo: string): Buffer {
  const key = keys.find(({ id }) => id === key_id);
  if (key === undefined) throw new UnreadableBody('no configured secret made this body');
  const text = nonceBytes + tagBytes;
  const decipher = createDecipheriv(algorithm, key.bytes, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(boundTo)).setAuthTag(sealed.subarray(nonceBytes, text));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(text)), decipher.final()]);
  } catch (cause) {
    throw new UnreadableBody('the body was changed or moved to another row', { cause });
  }
}
