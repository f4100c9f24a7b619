import { backoffMs } from '../../runtime/jobs/backoff.ts';
import type { Queryable, Statement } from '../database/database.ts';
import {
  fenced,
  type Job,
  type JobKind,
  type JobOutcome,
  type JobRow,
  keyOf,
  type RetryRules,
} from './job-queue.ts';
import { changes } from './job-table.ts';

const { update, remove, next } = fenced;
const open = 'leased = false, crashes = 0';
const isSame = `version = $${next}`;
const done = remove('done', isSame);
const again = update(
  'again',
  `${open}, failures = 0, error = null,
    run_at = now() + case when ${isSame} then $${next + 1}::float8 else 0 end * interval '1 ms'`,
);
const stopped = update('hand_back', `${open}, run_at = now()`);
const failed = update(
  'fail',
  `${open}, failures = case when ${isSame} then failures + 1 else 0 end, error = $${next + 1},
    run_at = case when ${isSame} then now() + $${next + 2} * interval '1 ms' else now() end,
    dead_at = case when ${isSame} and failures + 1 >= $${next + 3} then now() end`,
  'dead_at is not null as is_dead',
);
const dead = update(
  'dead',
  `${open}, error = $${next + 1}, dead_at = case when ${isSame} then now() end,
    run_at = case when ${isSame} then run_at else now() end`,
);
const kept = update('keep', `payload = case when ${isSame} then $${next + 1} else payload end`);

/**
 * Stores a changed payload for later attempts, unless the job was enqueued with another one meanwhile. Returns false if
 * the lease was lost.
 */
export const keepPayload = (database: Queryable, job: Job<unknown>, payload: unknown): Promise<boolean> =>
  changes(database, kept, keyOf(job), job.version, JSON.stringify(payload));

const locked: Statement = {
  name: 'jobs.lock_payload',
  text: 'select payload from jobs.job where kind = $2 and key = $3 and attempt = $1 and leased for update',
};

/**
 * Locks a job until the end of the transaction, and reads its payload as it is now: the job may have been enqueued again
 * with another one. Undefined if the lease was lost.
 */
export async function lockedPayload<P>(
  transaction: Queryable,
  { payload: schema }: JobKind<P>,
  job: Job<unknown>,
): Promise<P | undefined> {
  const { attempt, key } = keyOf(job);
  const [row] = await transaction.query<{ payload: unknown }>(locked, [attempt, ...key]);
  return row === undefined ? undefined : schema.parse(row.payload);
}

const stored = update('store_payload', `payload = $${next}`);

/** Stores the payload of a job that `lockedPayload` has locked: a part of the work takes effect with its position. */
export const storePayload = <P>(
  transaction: Queryable,
  { payload: schema }: JobKind<P>,
  job: Job<unknown>,
  payload: P,
): Promise<boolean> => changes(transaction, stored, keyOf(job), JSON.stringify(schema.parse(payload)));

/** Stores the outcome of an attempt. Returns its name, or `lost` if the lease was lost. */
export async function settleJob(
  database: Queryable,
  kind: RetryRules,
  row: JobRow,
  outcome: JobOutcome,
): Promise<string> {
  const held = keyOf(row);
  const named = (isHeld: boolean) => (isHeld ? outcome.kind : 'lost');
  switch (outcome.kind) {
    case 'done':
      return named(await finish(database, kind, row));
    case 'again':
      return named(await changes(database, again, held, row.version, outcome.delayMs));
    case 'stopped':
      return named(await changes(database, stopped, held));
    case 'dead':
      return named(await changes(database, dead, held, row.version, outcome.reason));
    case 'later': {
      const delayMs = Math.round(outcome.delayMs ?? retryDelayMs(kind, row.failures + 1));
      const most = kind.mostFailures ?? 2 ** 31 - 1;
      const values = [held.attempt, ...held.key, row.version, outcome.reason, delayMs, most];
      const [after] = await database.query<{ is_dead: boolean }>(failed, values);
      return after === undefined ? 'lost' : after.is_dead ? 'dead' : 'later';
    }
  }
}

// A recurring job that fails is not due later than one that succeeds.
function retryDelayMs({ retryMs = backoffMs, everyMs = Infinity }: RetryRules, failures: number): number {
  return Math.min(retryMs(failures), everyMs);
}

// A recurring job is due again later. A job that was enqueued again during its attempt is due at once.
async function finish(database: Queryable, { everyMs }: RetryRules, row: JobRow): Promise<boolean> {
  const held = keyOf(row);
  if (everyMs === undefined && (await changes(database, done, held, row.version))) return true;
  return changes(database, again, held, row.version, everyMs ?? 0);
}
