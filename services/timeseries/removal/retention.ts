import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { minuteMs } from '../../../domain/time/time.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, recurringHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import type { SourceOrder } from '../intervals/ranks.ts';
import { lockUser } from '../queries/lock-user.ts';
import type { PendingBlock } from '../samples/sample-columns.ts';
import { deleteOldOf, leaveUnrecorded } from './delete-old.ts';
import { type KeptDays, keptFrom } from './kept-days.ts';
import { claimRetention, finishRetention, passSeries } from './queries/claim-retention.ts';
import { oldSamplesPerPart } from './queries/delete-old-samples.ts';
import { dropEmptyChunks } from './queries/drop-empty-chunks.ts';
import { forgetExpired } from './queries/forget-expired.ts';
import { selectOldSeries } from './queries/select-old-series.ts';
import { retainProjectPart } from './retain-projects.ts';

/*
 * SAMPLE_RETENTION_DAYS. Rows are deleted series by series through the triggers and under the user's lock, so that
 * statistics are exact after each part. Dropping chunks with rows would be cheaper, but would leave the statistics wrong
 * until millions of them are deleted as well. The rules of projects are carried out in retain-projects.ts.
 */

/** Blocks without expired samples. Blocks that become empty are left out. */
export function keptBlocks(blocks: readonly PendingBlock[], kept: KeptDays): PendingBlock[] {
  return blocks.map((pending) => keptOf(pending, kept.samples)).filter(({ block }) => block.at.length > 0);
}

function keptOf(pending: PendingBlock, firstDay: string | null): PendingBlock {
  if (firstDay === null) return pending;
  const { block, zone_offset_minutes } = pending;
  const firstMs = Date.parse(firstDay);
  const isKept = (at: number) => block.base_ms + at + zone_offset_minutes * minuteMs >= firstMs;
  if (block.at.every(isKept)) return pending;
  const values = block.values.filter((_, index) => isKept(block.at[index] ?? 0));
  return { ...pending, block: { ...block, at: block.at.filter(isKept), values } };
}

/** The result of one part of a pass. `swept`: all its rows are deleted. */
export type RetentionPart = 'worked' | 'swept' | 'nothing';

/** Does one bounded part of a pass, unless it is done or held by another process. */
export function retainOnePart(
  database: Database,
  firstDay: string,
  order: SourceOrder,
  most = oldSamplesPerPart,
): Promise<RetentionPart> {
  return database.transaction(async (transaction) => {
    await leaveUnrecorded(transaction);
    const pass = await claimRetention(transaction, firstDay);
    if (pass === undefined || pass.is_finished) return 'nothing';
    const series = await selectOldSeries(transaction, pass.series_id, firstDay);
    if (series === undefined) return (await forgetExpired(transaction, firstDay)) ? 'swept' : 'worked';
    await lockUser(transaction, series.user_id);
    if (await deleteOldOf(transaction, { series, firstDay, order, most }))
      await passSeries(transaction, series.id);
    return 'worked';
  });
}

interface Retaining {
  readonly database: Database;
  readonly call: Call;
  readonly days: number;
  readonly order: SourceOrder;
  readonly logger: Logger;
}

const retention = { name: 'timeseries.retention', everyMs: 60_000, firstAfterMs: 20_000 };

/** Deletes expired data in one process at a time, at most half of the time. */
export function retentionHandler(deps: Retaining): JobHandler {
  return recurringHandler(retention, (held) => retain(deps, held));
}

function retain(deps: Retaining, held: Held): Promise<JobOutcome> {
  const nowMs = Date.now();
  return workInParts(async () => {
    const began = performance.now();
    if (!(await retainPart(deps, nowMs))) return false;
    await sleep(performance.now() - began);
    return true;
  }, held);
}

// The rules of projects come after SAMPLE_RETENTION_DAYS. Returns whether something may be left.
async function retainPart(deps: Retaining, nowMs: number): Promise<boolean> {
  const { database, days, order, logger } = deps;
  const firstDay = keptFrom(nowMs, days);
  if (firstDay !== null) {
    const part = await retainOnePart(database, firstDay, order);
    if (part === 'worked') return true;
    if (part === 'swept') await finish(database, firstDay, logger);
  }
  return retainProjectPart(deps, nowMs);
}

async function finish(database: Database, firstDay: string, logger: Logger): Promise<void> {
  const { dropped, left } = await dropEmptyChunks(database, firstDay);
  if (left === 0) await finishRetention(database, firstDay);
  logger.info('retention.swept', { kept_from: firstDay, chunks_dropped: dropped, chunks_left: left });
}
