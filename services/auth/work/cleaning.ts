import type { Logger } from 'moleculer';
import type { Config } from '../../../config.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type JobHandler, recurringHandler } from '../../../mixins/jobs/jobs.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import { deleteExpired } from '../tables/expired.ts';
import { selectFormerTotp, updateTotpSecret } from '../tables/totp.ts';
import { boundTo } from './second-factor.ts';

interface Deps {
  readonly database: Queryable;
  readonly config: Config;
  readonly cipher: Cipher;
  readonly logger: Logger;
}

/** Deletes expired rows every minute in one process, and encrypts secrets of a former ENCRYPTION_KEY again. */
export function cleaningHandler({ database, config, cipher, logger }: Deps): JobHandler {
  return recurringHandler({ name: 'auth.cleaning', everyMs: 60_000 }, async ({ signal }) => {
    const deleted = await deleteExpired(database, config.AUDIT_RETENTION_DAYS, signal);
    await resealTotp({ database, cipher });
    if (deleted > 0) logger.debug('auth.expired_deleted', { deleted });
  });
}

/** Encrypts secrets of a former ENCRYPTION_KEY with the current one. Those that no configured key decrypts are unchanged. */
export async function resealTotp({
  database,
  cipher,
}: {
  database: Queryable;
  cipher: Cipher;
}): Promise<void> {
  for (const { developer_id, secret } of await selectFormerTotp(database, cipher.newest)) {
    if (!cipher.readable.some((prefix) => secret.startsWith(prefix))) continue;
    const bound = boundTo(developer_id);
    const to = cipher.encrypt(cipher.decrypt(secret, bound), bound);
    await updateTotpSecret(database, developer_id, { from: secret, to });
  }
}
