import type { Queryable } from '../../../mixins/database/database.ts';
import type { Reason } from '../reasons.ts';

/** A step of a run. If its data arrived before the provider's answer, the updates below do not change it. */
export interface StepKey {
  readonly runId: string;
  readonly position: number;
}

const accepted = `
update backfill.step set deadline = now() + $3 * interval '1 ms'
where run_id = $1 and position = $2 and state = 'requested' returning deadline`;

/** Marks a step as accepted by the provider; returns the deadline for its data. */
export async function acceptStep(
  transaction: Queryable,
  { runId, position }: StepKey,
  waitMs: number,
): Promise<Date | null> {
  const [row] = await transaction.query<{ deadline: Date }>(accepted, [runId, position, waitMs]);
  return row?.deadline ?? null;
}

const closed = `
update backfill.step set state = $3, reason = $4, deadline = null
where run_id = $1 and position = $2 and state = 'requested'`;

/** Closes a step without data. */
export async function closeStep(
  transaction: Queryable,
  { runId, position }: StepKey,
  state: 'skipped' | 'failed',
  reason: Reason,
): Promise<void> {
  await transaction.query(closed, [runId, position, state, reason]);
}

const rest = `
update backfill.step set state = 'skipped', reason = $3
where run_id = $1 and state = 'waiting'
  and type = (select type from backfill.step where run_id = $1 and position = $2)`;

/** Skips the remaining steps of the same type. */
export async function skipRestOfType(
  transaction: Queryable,
  { runId, position }: StepKey,
  reason: Reason,
): Promise<void> {
  await transaction.query(rest, [runId, position, reason]);
}

const postponed = `
update backfill.step set state = 'waiting', attempts = attempts - $3
where run_id = $1 and position = $2 and state = 'requested' returning position`;

/** Schedules a step for another try; `notAsked`: the attempt is not counted. False if its data arrived already. */
export async function postponeStep(
  transaction: Queryable,
  { runId, position }: StepKey,
  { notAsked }: { readonly notAsked: boolean },
): Promise<boolean> {
  return (await transaction.query(postponed, [runId, position, notAsked ? 1 : 0])).length > 0;
}

const released = `update backfill.run set asking = false, run_at = $2 where id = $1`;
const releasedIn = `update backfill.run set asking = false, run_at = now() + $2 * interval '1 ms' where id = $1`;

/** Releases the lease of a run and sets its due time: an instant or a delay. */
export async function releaseRun(
  transaction: Queryable,
  runId: string,
  due: Date | { readonly inMs: number },
): Promise<void> {
  if (due instanceof Date) await transaction.query(released, [runId, due]);
  else await transaction.query(releasedIn, [runId, Math.round(due.inMs)]);
}
