import type { Logger } from 'moleculer';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { Queryable } from '../../mixins/database.ts';
import type { JobKind } from '../../mixins/job-queue.ts';
import { type JobHandler, jobHandler } from '../../mixins/jobs.ts';
import { deleteExpired } from './queries/delete-expired.ts';

const cleaning: JobKind<unknown> = { name: 'auth.cleaning', payload: z.unknown(), everyMs: 60_000 };

interface Deps {
  readonly database: Queryable;
  readonly config: Config;
  readonly logger: Logger;
}

/** Deletes expired rows every minute in one process. */
export function cleaningHandler({ database, config, logger }: Deps): JobHandler {
  return jobHandler(cleaning, async (_job, { signal }) => {
    const deleted = await deleteExpired(database, config.AUDIT_RETENTION_DAYS, signal);
    if (deleted > 0) logger.debug('auth.expired_deleted', { deleted });
    return { kind: 'done' };
  });
}
