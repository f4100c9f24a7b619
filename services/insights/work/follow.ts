import { z } from 'zod';
import type { Actions } from '../../../contracts/all.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { dayMs, hourMs, localDate } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../../mixins/jobs/job-queue.ts';
import { lanes } from '../../../mixins/jobs/lanes.ts';
import {
  type ChangedDays,
  markDue,
  movePosition,
  selectLiveUsers,
  selectPosition,
} from '../tables/due-days.ts';
import { type Computing, computedRange } from './recompute.ts';

type Change = Actions['webhooks.dataChanges']['returns']['changes'][number];

const Payload = z.object({ user_id: z.uuid() });

/** The jobs that compute the days of a user, one of a user at a time. */
export const computeKind: JobKind<z.infer<typeof Payload>> = { name: 'insights.compute', payload: Payload };

const changesPerPart = 1000;
/** The series that facts are made of. Steps also change summaries of days. */
const followed: SeriesType[] = [
  ...(['heart_rate', 'resting_heart_rate', 'heart_rate_variability_rmssd'] as const),
  ...(['heart_rate_variability_sdnn', 'respiratory_rate', 'oxygen_saturation'] as const),
  ...(['skin_temperature', 'devicemaker_skin_temperature', 'weight', 'vo2_max', 'steps'] as const),
];

/** Reads the next part of the change log, once for all processes, and marks the days that it concerns. Returns whether more follows. */
export async function followPart(
  { database, call, now }: Pick<Computing, 'database' | 'call' | 'now'>,
  settleMs: number,
): Promise<boolean> {
  const after = await selectPosition(database);
  const { changes, last_id, has_more } = await call('webhooks.dataChanges', {
    after,
    limit: changesPerPart,
    series: followed,
  });
  if (last_id === after) return false;
  const marks = changes.flatMap((change) => markOf(change, now()));
  await database.transaction(async (transaction) => {
    // Another process that read the same part has moved it on.
    if (!(await movePosition(transaction, after, last_id))) return;
    await markDue(transaction, marks);
    await enqueueUsers(transaction, changes, settleMs);
  });
  return has_more;
}

// The deletion of a user also changes data. No job is enqueued for deleted users, because its payload would keep their
// id.
async function enqueueUsers(
  transaction: Queryable,
  changes: readonly Change[],
  settleMs: number,
): Promise<void> {
  const byUser = Map.groupBy(changes, ({ user_id }) => user_id);
  for (const user_id of await selectLiveUsers(transaction, [...byUser.keys()])) {
    const changesOfUser = byUser.get(user_id) ?? [];
    const lane = changesOfUser.every(({ historical }) => historical) ? lanes.historical : lanes.live;
    await enqueue(transaction, computeKind, { key: user_id, payload: { user_id }, lane, delayMs: settleMs });
  }
}

/**
 * Local clocks are up to 12 hours behind and 14 hours ahead of UTC, and a night belongs to the day after its evening.
 * A corrected night is reported with its new times only. The day before is read too, because the old times are close
 * to the new ones.
 */
const earlierMs = 12 * hourMs + dayMs;
const laterMs = 14 * hourMs + dayMs;

/** The local days that a change may concern. None if all of them are too old to be computed. */
function markOf({ id, user_id, date, first_ms, last_ms }: Change, nowMs: number): ChangedDays[] {
  if (date !== null) return clipped({ user_id, id, first_date: date, last_date: date }, nowMs);
  if (first_ms === null || last_ms === null) return [{ user_id, id, first_date: null, last_date: null }];
  const span = { first_date: localDate(first_ms - earlierMs, 0), last_date: localDate(last_ms + laterMs, 0) };
  return clipped({ user_id, id, ...span }, nowMs);
}

function clipped(
  { first_date: first, last_date: last, ...change }: ChangedDays & { first_date: string; last_date: string },
  nowMs: number,
): ChangedDays[] {
  const range = computedRange(nowMs);
  const first_date = first < range.first_date ? range.first_date : first;
  const last_date = last > range.last_date ? range.last_date : last;
  return first_date > last_date ? [] : [{ ...change, first_date, last_date }];
}
