import type { Queryable } from '../../../mixins/database.ts';

/** The request that is sent now. */
export interface BegunStep {
  readonly position: number;
  readonly type: string;
  readonly start_time: Date;
  readonly end_time: Date;
  /** Counted before it is sent: from 2 on, the provider may have been asked already. */
  readonly attempts: number;
}

const overdue = `
update backfill.step set state = 'skipped', reason = 'NOTHING_CAME', deadline = null
where run_id = $1 and state = 'requested' and deadline <= now()`;

// Steps go in order, so the first open one is the one that was asked, if any was.
const open = `
select position, deadline from backfill.step
where run_id = $1 and state in ('requested', 'waiting') order by position limit 1`;

const begun = `
update backfill.step set state = 'requested', requested_at = now(), deadline = null, attempts = attempts + 1
where run_id = $1 and position = $2
returning position, type, start_time, end_time, attempts`;

const parked = `update backfill.run set asking = false, run_at = $2 where id = $1`;

/**
 * What a held backfill does next: the step to ask, noted as asked before it is; `waits` when its data is still
 * waited for; `through` when nothing is left.
 */
export async function beginStep(
  transaction: Queryable,
  runId: string,
): Promise<BegunStep | 'waits' | 'through'> {
  await transaction.query(overdue, [runId]);
  const [next] = await transaction.query<{ position: number; deadline: Date | null }>(open, [runId]);
  if (next === undefined) return 'through';
  if (next.deadline !== null) {
    await transaction.query(parked, [runId, next.deadline]);
    return 'waits';
  }
  const [step] = await transaction.query<BegunStep>(begun, [runId, next.position]);
  if (step === undefined) throw new Error('the step is gone');
  return step;
}
