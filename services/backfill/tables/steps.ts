import type { Received } from '../../../contracts/backfill.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Reason } from '../rules/verdict.ts';
import { releaseRun } from './runs.ts';

/** The request to send now. */
export interface BegunStep {
  readonly position: number;
  readonly type: string;
  readonly start_time: Date;
  readonly end_time: Date;
  /** Counted before the request is sent: from 2 on, the provider may have received it before. */
  readonly attempts: number;
}

const skipOverdue = `
update backfill.step set state = 'skipped', reason = 'NOTHING_CAME', deadline = null
where run_id = $1 and state = 'requested' and deadline <= now()`;

// Steps run in order, so a requested step is the first open one.
const selectOpen = `
select position, deadline from backfill.step
where run_id = $1 and state in ('requested', 'waiting') order by position limit 1`;

const beginStatement = `
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
  await transaction.query(skipOverdue, [runId]);
  const [next] = await transaction.query<{ position: number; deadline: Date | null }>(selectOpen, [runId]);
  if (next === undefined) return 'through';
  if (next.deadline !== null) {
    await releaseRun(transaction, runId, next.deadline);
    return 'waits';
  }
  const [step] = await transaction.query<BegunStep>(beginStatement, [runId, next.position]);
  if (step === undefined) throw new Error('the step is gone');
  return step;
}

/** A step of a run. If its data arrived before the provider's answer, the updates below do not change it. */
interface StepKey {
  readonly runId: string;
  readonly position: number;
}

const acceptStatement = `
update backfill.step set deadline = now() + $3 * interval '1 ms'
where run_id = $1 and position = $2 and state = 'requested' returning deadline`;

/** Marks a step as accepted by the provider; returns the deadline for its data. */
export async function acceptStep(
  transaction: Queryable,
  { runId, position }: StepKey,
  waitMs: number,
): Promise<Date | null> {
  const [row] = await transaction.query<{ deadline: Date }>(acceptStatement, [runId, position, waitMs]);
  return row?.deadline ?? null;
}

const closeStatement = `
update backfill.step set state = $3, reason = $4, deadline = null
where run_id = $1 and position = $2 and state = 'requested'`;

/** Closes a step without data. */
export async function closeStep(
  transaction: Queryable,
  { runId, position }: StepKey,
  state: 'skipped' | 'failed',
  reason: Reason,
): Promise<void> {
  await transaction.query(closeStatement, [runId, position, state, reason]);
}

const skipStatement = `
update backfill.step set state = 'skipped', reason = $3
where run_id = $1 and state = 'waiting'
  and type = (select type from backfill.step where run_id = $1 and position = $2)`;

/** Skips the remaining steps of the same type. */
export async function skipRestOfType(
  transaction: Queryable,
  { runId, position }: StepKey,
  reason: Reason,
): Promise<void> {
  await transaction.query(skipStatement, [runId, position, reason]);
}

const postponeStatement = `
update backfill.step set state = 'waiting', attempts = attempts - $3
where run_id = $1 and position = $2 and state = 'requested' returning position`;

/** Schedules a step for another try; `isCounted`: as one of its attempts. False if its data arrived already. */
export async function postponeStep(
  transaction: Queryable,
  { runId, position }: StepKey,
  isCounted: boolean,
): Promise<boolean> {
  return (await transaction.query(postponeStatement, [runId, position, isCounted ? 0 : 1])).length > 0;
}

// A tolerance of a day: a night may begin before its span, and a record with a date only has its time set to noon.
const matchingStatement = `
select position, state in ('requested', 'waiting') as is_open from backfill.step
where run_id = $1 and type = $2 and attempts > 0
  and ($3::timestamptz is null or (start_time - interval '1 day' <= $4 and end_time + interval '1 day' > $3))
order by state = 'requested' desc, (start_time <= $4 and end_time > $3) desc, position desc limit 1`;

/** The requested step that items of these times belong to: preferably one that is pending, else the latest. */
export async function selectMatchingStep(
  transaction: Queryable,
  runId: string,
  { type, first_start_ms, last_start_ms }: Received,
): Promise<{ position: number; is_open: boolean } | null> {
  const from = first_start_ms ?? last_start_ms;
  const to = last_start_ms ?? first_start_ms;
  const values = [runId, type, from === null ? null : new Date(from), to === null ? null : new Date(to)];
  const [row] = await transaction.query<{ position: number; is_open: boolean }>(matchingStatement, values);
  return row ?? null;
}

const countStatement = `
update backfill.step set state = 'received', reason = null, deadline = null, items = items + $3, saved = saved + $4,
  received_at = coalesce(received_at, clock_timestamp())
where run_id = $1 and position = $2`;

/** Adds received items to a step and marks it as received, also after its deadline. */
export async function countReceived(
  transaction: Queryable,
  runId: string,
  position: number,
  more: { readonly items: number; readonly saved: number },
): Promise<void> {
  await transaction.query(countStatement, [runId, position, more.items, more.saved]);
}
