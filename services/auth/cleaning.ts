import type { Logger } from 'moleculer';
import type { Config } from '../../config.ts';
import type { Queryable } from '../../mixins/database/database.ts';
import { type JobHandler, recurringHandler } from '../../mixins/jobs/jobs.ts';
import { deleteExpired } from './queries/delete-expired.ts';

interface Deps {
  readonly database: Queryable;
  readonly config: Config;
  readonly logger: Logger;
}

/** Deletes expired rows every minute in one process. */
export function cleaningHandler({ database, config, logger }: Deps): JobHandler {
  return recurringHandler({ name: 'auth.cleaning', everyMs: 60_000 }, async ({ signal }) => {
    const deleted = await deleteExpired(database, config.AUDIT_RETENTION_DAYS, signal);
    if (deleted > 0) logger.debug('auth.expired_deleted', { deleted });
  });
}
