import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, recurringHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import { deleteOldIntervals, hasOldIntervals } from '../intervals/queries/delete-old-intervals.ts';
import type { SourceOrder } from '../intervals/ranks.ts';
import { settleIntervals } from '../intervals/settle-intervals.ts';
import { lockUser } from '../queries/lock-user.ts';
import type { PendingBlock } from '../samples/sample-columns.ts';
import { claimRetention, finishRetention, passSeries } from './queries/claim-retention.ts';
import { deleteEmptySeries, deleteOldSamples, oldSamplesPerPart } from './queries/delete-old-samples.ts';
import { dropEmptyChunks } from './queries/drop-empty-chunks.ts';
import { forgetActivityBlocks } from './queries/forget-activity-blocks.ts';
import { forgetEpochValues } from './queries/forget-epoch-values.ts';
import { type OldSeriesRow, selectOldSeries } from './queries/select-old-series.ts';

/*
 * SAMPLE_RETENTION_DAYS. Samples are deleted in whole local days, by the clock of each sample, so that no summary
 * covers half a day: a day expires when its last hour is too old in every time zone. Rows are deleted series by series
 * through the triggers and under the user's lock, so that statistics are exact after each part. Dropping chunks with
 * rows would be cheaper, but would leave the statistics wrong until millions of them are deleted as well.
 */
const furthestClockMs = 18 * hourMs;

/** The first local day whose samples are kept. Null keeps all. */
export function keptFrom(nowMs: number, days: number): string | null {
  if (days === 0) return null;
  return new Date(nowMs - days * dayMs - furthestClockMs).toISOString().slice(0, 10);
}

/** Blocks without expired samples. Blocks that become empty are left out. */
export function keptBlocks(blocks: readonly PendingBlock[], firstDay: string | null): PendingBlock[] {
  if (firstDay === null) return [...blocks];
  const firstMs = Date.parse(firstDay);
  return blocks.map((pending) => keptOf(pending, firstMs)).filter(({ block }) => block.at.length > 0);
}

function keptOf(pending: PendingBlock, firstMs: number): PendingBlock {
  const { block, zone_offset_minutes } = pending;
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
    if (series === undefined) {
      const isSwept = [
        await forgetEpochValues(transaction, firstDay),
        await forgetActivityBlocks(transaction, firstDay),
      ];
      return isSwept.includes(false) ? 'worked' : 'swept';
    }
    await lockUser(transaction, series.user_id);
    await deleteFrom(transaction, { series, firstDay, order, most });
    return 'worked';
  });
}

// The expiry of old samples is no change that applications are told of.
async function leaveUnrecorded(transaction: Queryable): Promise<void> {
  await transaction.query("set local changes.unrecorded = 'on'");
}

interface OldData {
  readonly series: OldSeriesRow;
  readonly firstDay: string;
  readonly order: SourceOrder;
  readonly most: number;
}

async function deleteFrom(transaction: Queryable, old: OldData) {
  const { series, firstDay, most } = old;
  if (!(await deleteOldSamples(transaction, series.id, firstDay, most))) return;
  if (!(await deleteIntervals(transaction, old))) return;
  await deleteEmptySeries(transaction, series.id);
  await passSeries(transaction, series.id);
}

/** Deletes some intervals, with what counted of them. Returns whether those were all. */
async function deleteIntervals(
  transaction: Queryable,
  { series, firstDay, order, most }: OldData,
): Promise<boolean> {
  const gone = await deleteOldIntervals(transaction, series.id, firstDay, most);
  if (gone === undefined || gone.start_ms === null || gone.end_ms === null) return true;
  const span = { type_id: gone.type_id, startMs: gone.start_ms, endMs: gone.end_ms };
  await settleIntervals(transaction, { user_id: series.user_id, order }, [span]);
  return !(await hasOldIntervals(transaction, series.id, firstDay));
}

interface Retaining {
  readonly database: Database;
  readonly days: number;
  readonly order: SourceOrder;
  readonly logger: Logger;
}

const retention = { name: 'timeseries.retention', everyMs: 60_000, firstAfterMs: 20_000 };

/** Deletes expired samples in one process at a time, at most half of the time. */
export function retentionHandler(deps: Retaining): JobHandler {
  return recurringHandler(retention, (held) => retain(deps, held));
}

async function retain({ database, days, order, logger }: Retaining, held: Held): Promise<JobOutcome> {
  const firstDay = keptFrom(Date.now(), days);
  if (firstDay === null) return { kind: 'done' };
  return workInParts(async () => {
    const began = performance.now();
    const part = await retainOnePart(database, firstDay, order);
    if (part === 'swept') await finish(database, firstDay, logger);
    if (part !== 'worked') return false;
    await sleep(performance.now() - began);
    return true;
  }, held);
}

async function finish(database: Database, firstDay: string, logger: Logger): Promise<void> {
  const { dropped, left } = await dropEmptyChunks(database, firstDay);
  if (left === 0) await finishRetention(database, firstDay);
  logger.info('retention.swept', { kept_from: firstDay, chunks_dropped: dropped, chunks_left: left });
}
