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
import { forgetOfUsers } from './queries/forget-of-users.ts';
import { keptTypes } from './queries/kept-types.ts';
import {
  claimPass,
  finishPass,
  movePass,
  type ProjectPass,
  selectUnfinishedPass,
} from './queries/retention-rules.ts';
import { selectOldSeriesOfUsers } from './queries/select-old-series-of-users.ts';

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
  const series = await selectOldSeriesOfUsers(transaction, users, pass.pass_series, keptTypes(kept));
  if (series === undefined) {
    if (await forgetOfUsers(transaction, users, kept))
      await movePass(transaction, day, { ...pass, pass_user: last, pass_series: 0 });
    return;
  }
  await lockUser(transaction, series.user_id);
  const old = { series, firstDay: series.kept_from, order, most: size.rows };
  if (await deleteOldOf(transaction, old))
    await movePass(transaction, day, { ...pass, pass_series: series.id });
}

// Chunks before the first day that is kept of every type may be empty now.
async function finish({ database, logger }: Retaining, { project_id }: ProjectPass, kept: KeptDays) {
  const all = [kept.samples, ...kept.types.values()];
  const days = all.filter((day) => day !== null).toSorted();
  const [earliest] = days;
  const isBounded = earliest !== undefined && days.length === all.length;
  const { dropped } = isBounded ? await dropEmptyChunks(database, earliest) : { dropped: 0 };
  logger.info('retention.project_swept', { project_id, chunks_dropped: dropped });
}
