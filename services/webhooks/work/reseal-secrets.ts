import type { Database } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import { replaceSealedSecrets, selectSecretsNotSealedWith } from '../tables/endpoints.ts';

/**
 * Encrypts secrets that an earlier ENCRYPTION_KEY encrypted with the first one. Returns the number of endpoints. Secrets
 * that no configured key decrypts are unchanged.
 */
export async function resealSecrets(database: Database, cipher: Cipher): Promise<number> {
  let resealed = 0;
  for (const sealed of await selectSecretsNotSealedWith(database, cipher.newest)) {
    const reseal = (value: string) => cipher.encrypt(cipher.decrypt(value, sealed.id), sealed.id);
    try {
      const secret = reseal(sealed.secret);
      const former_secret = sealed.former_secret === null ? null : reseal(sealed.former_secret);
      if (await replaceSealedSecrets(database, sealed, { secret, former_secret })) resealed += 1;
    } catch {
      // No configured key decrypts them.
    }
  }
  return resealed;
}
