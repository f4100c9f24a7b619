import type { Database } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';

/** The encrypted secrets of an endpoint. */
export interface SealedSecrets {
  readonly id: string;
  readonly secret: string;
  readonly former_secret: string | null;
  readonly former_until: Date | null;
}

/**
 * Encrypts secrets that an earlier ENCRYPTION_KEY encrypted with the first one. Returns the number of endpoints. Secrets
 * that no configured key decrypts are unchanged.
 */
export async function resealSecrets(database: Database, cipher: Cipher): Promise<number> {
  const rows = await database.query<SealedSecrets>(
    `select id, secret, former_secret, former_until from webhooks.endpoint
     where not starts_with(secret, $1) or not starts_with(former_secret, $1)`,
    [cipher.newest],
  );
  let resealed = 0;
  for (const old of rows) resealed += await reseal(database, cipher, old);
  return resealed;
}

async function reseal(database: Database, cipher: Cipher, old: SealedSecrets): Promise<number> {
  const anew = (value: string) => cipher.encrypt(cipher.decrypt(value, old.id), old.id);
  try {
    const former = old.former_secret === null ? null : anew(old.former_secret);
    const updated = await database.query(
      `update webhooks.endpoint set secret = $2, former_secret = $3
       where id = $1 and secret = $4 and former_secret is not distinct from $5 returning id`,
      [old.id, anew(old.secret), former, old.secret, old.former_secret],
    );
    return updated.length;
  } catch {
    return 0;
  }
}
