import { backoffMs } from '../runtime/backoff.ts';
import type { Queryable } from './database.ts';
import { fenced, type Job, type JobOutcome, type JobRow, keyOf, type RetryRules } from './job-queue.ts';
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
