import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Config } from '../../config.ts';
import { type Key, keysOf, seal, unseal } from '../provider-api/cipher.ts';

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

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** The level that costs least. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 };

/** The cipher of kept bodies. The first secret encrypts, all decrypt. @throws UnreadableBody if ENCRYPTION_KEY is missing */
export function bodyCipherOf({ ENCRYPTION_KEY }: Pick<Config, 'ENCRYPTION_KEY'>): BodyCipher {
  const keys = keysOf(ENCRYPTION_KEY, 'kept bodies');
  const [first] = keys;
  if (first === undefined) throw new UnreadableBody('ENCRYPTION_KEY is not set');
  return {
    newestKeyId: first.id,
    async encrypt(body, boundTo) {
      return { key_id: first.id, sealed: seal(first, await compress(body, { params }), boundTo) };
    },
    decrypt: async (given, boundTo) => decompress(decrypt(keys, given, boundTo)),
  };
}

function decrypt(keys: readonly Key[], { key_id, sealed }: SealedBytes, boundTo: string): Buffer {
  const key = keys.find(({ id }) => id === key_id);
  if (key === undefined) throw new UnreadableBody('no configured secret made this body');
  try {
    return unseal(key, sealed, boundTo);
  } catch (cause) {
    throw new UnreadableBody('the body was changed or moved to another row', { cause });
  }
}
