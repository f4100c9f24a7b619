import type { Queryable } from '../../../mixins/database/database.ts';
import { releaseRun } from './settle-step.ts';

/** The request to send now. */
export interface BegunStep {
  readonly position: number;
  readonly type: string;
  readonly start_time: Date;
  readonly end_time: Date;
  /** Counted before the request is sent: from 2 on, the provider may have received it before. */
  readonly attempts: number;
}

const overdue = `
update backfill.step set state = 'skipped', reason = 'NOTHING_CAME', deadline = null
where run_id = $1 and state = 'requested' and deadline <= now()`;

// Steps run in order, so a requested step is the first open one.
const open = `
select position, deadline from backfill.step
where run_id = $1 and state in ('requested', 'waiting') order by position limit 1`;

const begun = `
update backfill.step set state = 'requested', requested_at = now(), deadline = null, attempts = attempts + 1
where run_id = $1 and position = $2
returning position, type, start_time, end_time, attempts`;

/**
 * The next action of a held backfill: the step to request, stored as requested before it is sent; `waits` while the data of
 * a step is pending; `through` if no step is left.
 */
export async function beginStep(
  transaction: Queryable,
  runId: string,
): Promise<BegunStep | 'waits' | 'through'> {
  await transaction.query(overdue, [runId]);
  const [next] = await transaction.query<{ position: number; deadline: Date | null }>(open, [runId]);
  if (next === undefined) return 'through';
  if (next.deadline !== null) {
    await releaseRun(transaction, runId, next.deadline);
    return 'waits';
  }
  const [step] = await transaction.query<BegunStep>(begun, [runId, next.position]);
  if (step === undefined) throw new Error('the step is gone');
  return step;
}
