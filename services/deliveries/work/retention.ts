import type { Logger } from 'moleculer';
import type { Config } from '../../../config.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { deleteInBatches } from '../../../mixins/database/delete-in-batches.ts';
import { bodyRetentionDays } from '../../../mixins/inbox/sealed-bodies.ts';
import { deleteOldDeadJobs } from '../../../mixins/jobs/dead-jobs.ts';
import { type JobHandler, recurringHandler } from '../../../mixins/jobs/jobs.ts';
import { deleteExpired, expiredPerStatement, type KeptDays } from '../tables/deliveries.ts';
import { deleteOldAnswers, deleteOldReceived } from '../tables/minutes.ts';
import { deleteOldRuns } from '../tables/reprocess-runs.ts';

/** Dead letters are kept longer, so that an operator can inspect them. */
const deadFactor = 4;
/** How long the counts of a run of kept deliveries can be read. */
const runDays = 90;
/** Statements per run, for 100,000 deliveries. */
const most = 200;
const retention = { name: 'deliveries.retention', everyMs: 600_000, firstAfterMs: 30_000 };

interface Deps {
  readonly database: Database;
  readonly config: Config;
  readonly logger: Logger;
}

/** Deletes expired deliveries and dead letters every ten minutes in one process. */
export function retentionHandler({ database, config, logger }: Deps): JobHandler {
  const { DELIVERY_RETENTION_DAYS: days } = config;
  const kept = { done: bodyRetentionDays(config), dead: deadFactor * days };
  return recurringHandler(retention, async ({ signal }) => {
    await deleteOldAnswers(database);
    await deleteOldReceived(database);
    await deleteOldRuns(database, runDays);
    await deleteOldDeadJobs(database, days);
    const deleted = await expire(database, kept, expiredPerStatement, signal);
    if (deleted > 0) logger.info('deliveries.expired', { deleted });
  });
}

/** Deletes expired deliveries in bounded statements; returns their number. */
export function expire(
  database: Queryable,
  days: KeptDays,
  size = expiredPerStatement,
  signal?: AbortSignal,
): Promise<number> {
  return deleteInBatches(() => deleteExpired(database, days, size), { size, most, signal });
}
