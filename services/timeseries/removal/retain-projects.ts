import type { Logger } from 'moleculer';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { SourceOrder } from '../intervals/ranks.ts';
import { lockUser } from '../queries/lock-user.ts';
import { deleteOldOf, leaveUnrecorded } from './delete-old.ts';
import { type KeptDays, keptDays, passDay } from './kept-days.ts';
import { lockRetention } from './queries/claim-retention.ts';
import { oldSamplesPerPart } from './queries/delete-old-samples.ts';
import { dropEmptyChunks } from './queries/drop-empty-chunks.ts';
import { forgetEvents, forgetExpired } from './queries/forget-expired.ts';
import {
  claimPass,
  finishPass,
  movePass,
  type ProjectPass,
  selectUnfinishedPass,
} from './queries/retention-rules.ts';
import { selectOldSeries } from './queries/select-old-series.ts';

/*
 * The rules of projects. Users belong to another service, which lists those of a project in the order of their ids: a pass takes some
 * users at a time, and deletes of them what the rule does not keep. A rule that is changed is locked first, so
 * that the former one deletes nothing afterwards.
 */

interface Retaining {
  readonly database: Database;
  readonly call: Call;
  /** SAMPLE_RETENTION_DAYS. */
  readonly days: number;
  readonly order: SourceOrder;
  readonly logger: Logger;
}

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
  if (done !== null) await finish(deps, pass, done);
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
async function finish({ database, logger }: Retaining, { project_id }: ProjectPass, { samples }: KeptDays) {
  const { dropped } = samples === null ? { dropped: 0 } : await dropEmptyChunks(database, samples);
  logger.info('retention.project_swept', { project_id, chunks_dropped: dropped });
}
