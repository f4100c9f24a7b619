import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, recurringHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import type { SourceOrder } from '../rules/sources.ts';
import { dropEmptyChunks } from '../tables/chunks.ts';
import { lockUser } from '../tables/erasures.ts';
import { deleteOldIntervals, hasOldIntervals } from '../tables/interval-values.ts';
import {
  claimPass,
  claimRetention,
  finishPass,
  finishRetention,
  forgetEvents,
  forgetExpired,
  lockRetention,
  movePass,
  type ProjectPass,
  passSeries,
  selectUnfinishedPass,
} from '../tables/retention.ts';
import {
  deleteEmptySeries,
  deleteOldSamples,
  type OldSeriesRow,
  oldSamplesPerPart,
  selectOldSeries,
} from '../tables/samples.ts';
import { type KeptDays, keptDays, keptFrom, passDay } from './kept-days.ts';
import { settleIntervals } from './settle-intervals.ts';

/*
 * SAMPLE_RETENTION_DAYS. Rows are deleted series by series through the triggers and under the user's lock, so that
 * statistics are exact after each part. Dropping chunks with rows would be cheaper, but would leave the statistics wrong
 * until millions of them are deleted as well. The rules of projects are applied afterwards.
 */

/** The result of one part of a pass. `swept`: all its rows are deleted. */
type RetentionPart = 'worked' | 'swept' | 'nothing';

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
  /** SAMPLE_RETENTION_DAYS. */
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

/*
 * The rules of projects. Users belong to another service, which lists those of a project in the order of their ids: a pass takes some
 * users at a time, and deletes of them what the rule does not keep. A rule that is changed is locked first, so
 * that the former one deletes nothing afterwards.
 */

/** How much is done in one part. */
interface PartSize {
  readonly users: number;
  readonly rows: number;
}

const usual: PartSize = { users: 100, rows: oldSamplesPerPart };

/** Does one bounded part of the pass of a project. Returns whether something may be left. */
export async function retainProjectPart(deps: Retaining, nowMs: number, size = usual): Promise<boolean> {
  const { database, call } = deps;
  const day = passDay(nowMs);
  const pass = await selectUnfinishedPass(database, day);
  if (pass === undefined) return false;
  const { project_id, pass_user: after } = pass;
  const { users } = await call('users.inProject', { project_id, after, limit: size.users });
  const done = await database.transaction(async (transaction) => {
    await leaveUnrecorded(transaction);
    if (!(await lockRetention(transaction))) return 'held' as const;
    const rule = await claimPass(transaction, day, pass);
    if (rule === null) return null;
    const kept = keptDays(nowMs, deps.days, rule);
    const last = users.at(-1);
    if (last === undefined) {
      await finishPass(transaction, day, project_id);
      return kept;
    }
    await retainUsers(transaction, { users, last, kept, pass, day, size, order: deps.order });
    return null;
  });
  if (done === 'held') return false;
  if (done !== null) await finishProject(deps, pass, done);
  return true;
}

interface UsersPart {
  readonly users: readonly string[];
  readonly last: string;
  readonly kept: KeptDays;
  readonly pass: ProjectPass;
  readonly day: string;
  readonly size: PartSize;
  readonly order: SourceOrder;
}

async function retainUsers(
  transaction: Queryable,
  { users, last, kept, pass, day, size, order }: UsersPart,
): Promise<void> {
  const { samples: firstDay, events } = kept;
  if (firstDay !== null) {
    const series = await selectOldSeries(transaction, pass.pass_series, firstDay, users);
    if (series !== undefined) {
      await lockUser(transaction, series.user_id);
      if (await deleteOldOf(transaction, { series, firstDay, order, most: size.rows }))
        await movePass(transaction, day, { ...pass, pass_series: series.id });
      return;
    }
    if (!(await forgetExpired(transaction, firstDay, users))) return;
  }
  if (events === null || (await forgetEvents(transaction, events, users)))
    await movePass(transaction, day, { ...pass, pass_user: last, pass_series: 0 });
}

// Chunks before the first day that is kept may be empty now.
async function finishProject(
  { database, logger }: Retaining,
  { project_id }: ProjectPass,
  { samples }: KeptDays,
) {
  const { dropped } = samples === null ? { dropped: 0 } : await dropEmptyChunks(database, samples);
  logger.info('retention.project_swept', { project_id, chunks_dropped: dropped });
}

/** The changes of a transaction are not announced: the expiry of data is no change of it. */
async function leaveUnrecorded(transaction: Queryable): Promise<void> {
  await transaction.query("set local changes.unrecorded = 'on'");
}

/** A series with expired data, of which at most `most` rows are deleted at once. */
interface OldData {
  readonly series: OldSeriesRow;
  readonly firstDay: string;
  readonly order: SourceOrder;
  readonly most: number;
}

/** Deletes expired data of a series under its user's lock. Returns whether that was all. */
async function deleteOldOf(transaction: Queryable, old: OldData): Promise<boolean> {
  const { series, firstDay, most } = old;
  if (!(await deleteOldSamples(transaction, series.id, firstDay, most))) return false;
  if (!(await deleteIntervals(transaction, old))) return false;
  await deleteEmptySeries(transaction, series.id);
  return true;
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
