import type { Logger } from 'moleculer';
import type { Config } from '../../config.ts';
import type { Queryable } from '../../mixins/database/database.ts';
import { type JobHandler, recurringHandler } from '../../mixins/jobs/jobs.ts';
import type { Cipher } from '../../mixins/provider-api/cipher.ts';
import { deleteExpired } from './queries/delete-expired.ts';
import { resealTotp } from './second-factor/totp.ts';

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
