import type { Logger } from 'moleculer';
import { z } from 'zod';
import type { Database, Queryable } from '../../mixins/database.ts';
import { deleteInBatches } from '../../mixins/delete-in-batches.ts';
import { countStored } from '../../mixins/inbox-stored.ts';
import type { JobKind, JobOutcome } from '../../mixins/job-queue.ts';
import { type JobHandler, jobHandler } from '../../mixins/jobs.ts';
import { deleteOldAnswers } from './queries/answer-minutes.ts';
import { deleteExpired, expiredPerStatement } from './queries/delete-expired.ts';

/** Statements per run, for 100,000 deliveries. */
const most = 200;
const retention: JobKind<unknown> = { name: 'deliveries.retention', payload: z.unknown(), everyMs: 600_000 };

interface Deps {
  readonly database: Database;
  readonly days: number;
  readonly logger: Logger;
}

/** Deletes expired deliveries every ten minutes in one process, and counts the bytes of the remaining ones. */
export function retentionHandler(deps: Deps): JobHandler {
  return jobHandler(retention, (_job, { signal }) => retain(deps, signal), { firstAfterMs: 30_000 });
}

async function retain({ database, days, logger }: Deps, signal: AbortSignal): Promise<JobOutcome> {
  await deleteOldAnswers(database);
  const deleted = await expire(database, days, expiredPerStatement, signal);
  await countStored(database);
  if (deleted > 0) logger.info('deliveries.expired', { deleted });
  return { kind: 'done' };
}

/** Deletes expired deliveries in bounded statements; returns their number. */
export function expire(
  database: Queryable,
  days: number,
  size = expiredPerStatement,
  signal?: AbortSignal,
): Promise<number> {
  return deleteInBatches(() => deleteExpired(database, days, size), { size, most, signal });
}
