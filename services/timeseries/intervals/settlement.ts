import { z } from 'zod';
import { dayMs } from '../../../domain/time/time.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, recurringHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import { lockUser } from '../queries/lock-user.ts';
import {
  requestSettlement,
  selectRankedOtherwise,
  selectUnsettled,
  type UnsettledRow,
  updateRankedBy,
  updateSettled,
} from './queries/settlements.ts';
import { orderName, type SourceOrder } from './ranks.ts';
import { settleIntervals } from './settle-intervals.ts';

/** Computes the statistics of all intervals of a user anew. The key is the user's id. */
const settlement: JobKind<unknown> = { name: 'timeseries.interval_settlement', payload: z.unknown() };

interface Deps {
  readonly database: Database;
  readonly order: SourceOrder;
}

/**
 * Enqueues that what counts of a user's intervals is computed anew, of the given types or all. The caller holds the user's
 * lock.
 */
export async function enqueueSettlement(
  transaction: Queryable,
  userId: string,
  typeIds: readonly number[] | null = null,
): Promise<void> {
  await requestSettlement(transaction, userId, typeIds);
  await enqueue(transaction, settlement, { key: userId, payload: {} });
}

/** Settles users after a purge or a change of their order of sources. */
export function settlementHandler(deps: Deps): JobHandler {
  return jobHandler(settlement, ({ key }, held) =>
    workInParts(() => settleOneType(deps, key, held.signal), held),
  );
}

/** Finds users whose statistics were computed by another configured order. */
export function rankedByHandler(deps: Deps): JobHandler {
  const recurring = { name: 'timeseries.interval_order', everyMs: 60_000, firstAfterMs: 1000 };
  return recurringHandler(recurring, (held) => workInParts(() => orderSome(deps), held));
}

async function orderSome({ database, order }: Deps): Promise<boolean> {
  const name = orderName(order);
  const users = await selectRankedOtherwise(database, name);
  for (const userId of users)
    await database.transaction(async (transaction) => {
      await lockUser(transaction, userId);
      await updateRankedBy(transaction, userId, name);
      await enqueueSettlement(transaction, userId);
    });
  return users.length > 0;
}

// One type of the user. Returns whether another one may be left.
async function settleOneType(deps: Deps, userId: string, signal: AbortSignal): Promise<boolean> {
  const type = await selectUnsettled(deps.database, userId);
  if (type === undefined) return false;
  for (const span of spansOf(type)) {
    if (signal.aborted) return true;
    await deps.database.transaction(async (transaction) => {
      await lockUser(transaction, userId);
      await settleIntervals(transaction, { user_id: userId, order: deps.order }, [span]);
    });
  }
  await updateSettled(deps.database, userId, type);
  return true;
}

/** Bounds a transaction: at an interval a minute from two sources a part has 20,000 of them. */
const partMs = 7 * dayMs;

function spansOf({ type_id, start_ms, end_ms }: UnsettledRow) {
  if (start_ms === null || end_ms === null) return [];
  const first = Math.floor(start_ms / partMs);
  const count = Math.ceil(end_ms / partMs) - first;
  return Array.from({ length: count }, (_, index) => {
    const startMs = (first + index) * partMs;
    return { type_id, startMs, endMs: startMs + partMs };
  });
}
