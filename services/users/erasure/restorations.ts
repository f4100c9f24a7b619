import type { CallingOptions, Logger } from 'moleculer';
import { isError } from '../../../domain/errors.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Job, JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import type { Call } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import { callOn } from '../../../runtime/lifecycle.ts';
import { releaseHeld, selectHeld } from '../queries/held-deliveries.ts';
import { finishRestoration, type Restoration, selectRestoration } from '../queries/restorations.ts';

/** Dependencies of restorations. */
export interface RestorationDeps {
  readonly database: Database;
  readonly call: Call;
  readonly logger: Logger;
}

/** The work is resumed at least twice: a fetch that saw the former ending may have stopped after the first time. */
const leastTries = 2;
/** One try a minute, for a day. */
const mostTries = 1440;
const mostReplays = 500;
/** The instant is stored in milliseconds, rounded. */
const roundingMs = 1;
const patience: CallingOptions = { timeout: 4000, retries: 0 };

/**
 * Resumes the work of a connection whose ending was contradicted: the backfill continues, dropped fetches are queued
 * again, and the deliveries that were held are replayed. Every step is idempotent.
 */
export async function resumeRestored(
  deps: RestorationDeps,
  { key, failures }: Pick<Job<object>, 'key' | 'failures'>,
  { signal }: Pick<Held, 'signal'>,
): Promise<JobOutcome> {
  const { database } = deps;
  const restoration = await selectRestoration(database, key);
  if (restoration === undefined) return { kind: 'done' };
  const isDone = await resume(deps, restoration, signal);
  if (signal.aborted) return { kind: 'stopped' };
  const tries = failures + 1;
  const isLast = (isDone && tries >= leastTries) || tries >= mostTries;
  if (!isLast || !(await finishRestoration(database, restoration)))
    return { kind: 'later', reason: isDone ? 'REPEATED' : 'NOT_RESUMED' };
  return isDone ? { kind: 'done' } : { kind: 'dead', reason: 'NOT_RESUMED' };
}

async function resume(
  deps: RestorationDeps,
  { connection_id, provider, since }: Restoration,
  signal: AbortSignal,
): Promise<boolean> {
  const resumed = { connection_id, since: new Date(since.getTime() - roundingMs).toISOString() };
  const [elsewhere, held] = await Promise.all([
    callOn(deps.call, { event: 'connectionRestored', params: resumed, provider }, patience),
    Promise.allSettled([replayHeld(deps, connection_id, signal)]),
  ]);
  const results = [...elsewhere, ...held];
  for (const result of results)
    if (result.status === 'rejected')
      deps.logger.warn('connection.not_resumed', { connection_id, code: codeOf(result.reason) });
  return results.every((result) => result.status === 'fulfilled' && result.value !== false);
}

/** Replays the held deliveries of a connection; false if one of them is being processed, or more are left. */
async function replayHeld(
  { database, call }: RestorationDeps,
  connectionId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const ids = await selectHeld(database, connectionId, mostReplays);
  let isDone = ids.length < mostReplays;
  for (const id of ids) {
    if (signal.aborted) return false;
    if (await replay(call, id)) await releaseHeld(database, connectionId, id);
    else isDone = false;
  }
  return isDone;
}

const finals = ['DELIVERY_NOT_FOUND', 'DELIVERY_ERASED'] as const;
const meta = { actor: 'system:users' };

async function replay(call: Call, delivery_id: string): Promise<boolean> {
  try {
    await call('deliveries.replay', { delivery_id }, { ...patience, meta });
    return true;
  } catch (error) {
    if (isError(error, 'DELIVERY_IN_WORK')) return false;
    if (finals.some((type) => isError(error, type))) return true;
    throw error;
  }
}
