import { z } from 'zod';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import { eraseItems, eraseSamples } from '../tables/erasures.ts';
import { lockUser } from '../tables/lock-user.ts';
import { finishTombstone, forgetSeries, insertTombstone, lockTombstone } from '../tables/tombstones.ts';

/** The erasure of one user. The key is the user's id. */
const erasure: JobKind<unknown> = { name: 'timeseries.erasure', payload: z.unknown() };

/** Marks a user as erased after running stores of the user have finished. A job erases the remaining data. */
export function markErased(database: Database, userId: string): Promise<void> {
  return database.transaction(async (transaction) => {
    await lockUser(transaction, userId);
    await insertTombstone(transaction, userId);
    await enqueue(transaction, erasure, { key: userId, payload: {} });
  });
}

/** Erases the data of marked users. */
export function erasureHandler(database: Database): JobHandler {
  return jobHandler(erasure, ({ key }, held) => workInParts(() => eraseOnePart(database, key), held));
}

// One bounded part. Returns whether data is left.
function eraseOnePart(database: Database, userId: string): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const seriesIds = await lockTombstone(transaction, userId);
    if (seriesIds === undefined) return false;
    const [seriesId] = seriesIds;
    if (seriesId !== undefined) {
      if (await eraseSamples(transaction, seriesId)) await forgetSeries(transaction, userId, seriesId);
      return true;
    }
    if (!(await eraseItems(transaction, userId))) return true;
    await finishTombstone(transaction, userId);
    await recordAudit(transaction, systemOrigin('timeseries'), { action: 'user.erased', userId });
    return false;
  });
}
