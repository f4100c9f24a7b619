import type { Database } from '../../mixins/database.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import type { Environment } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import { startPeriodicTask } from '../../runtime/periodic-task.ts';
import type { WakeSignal } from '../../runtime/wake-signal.ts';
import { workoutOf } from './confirm-deletion.ts';
import { fetchActivity } from './fetch-activity.ts';
import type { Fetched, Fetching } from './fetched.ts';
import { listBackfillPage } from './list-backfill.ts';
import { claimBackfill } from './queries/backfill-pages.ts';
import { finishBackfill } from './queries/backfill-runs.ts';
import {
  type ActivityLease,
  claimActivities,
  moveCrashedToDeadLetters,
  revivePostponed,
} from './queries/claim-activities.ts';
import { deleteUser, dropConnection } from './queries/drop-work.ts';
import { priorities } from './queries/note-event.ts';
import {
  awaitConfirmation,
  extendLease,
  type Finished,
  finishActivity,
  finishDeleted,
  handBackActivity,
  postponeActivity,
  reopenActivity,
  retryActivity,
} from './queries/settle-activity.ts';
import { reserveUserRead } from './queries/user-reads.ts';
import { limitsOf } from './user-read-limits.ts';

/** Dependencies of the fetch worker of a process. */
export interface FetchDeps extends Fetching, Environment {
  readonly database: Database;
  readonly wakeSignal: WakeSignal;
}

interface FetchLoop {
  readonly deps: FetchDeps;
  readonly closing: AbortSignal;
  readonly stopping: AbortSignal;
  readonly running: Set<Promise<void>>;
  /**
   * Until this time no job that needs a read is claimed, because the quota was used up or the provider asked to wait.
   */
  restUntil: number;
}

/** Time that a stop grants to running fetches. */
const graceMs = 3000;
/** Actions that a fetch calls. While one is unavailable no job is claimed, because its reads would be wasted. */
const needs = [
  'users.tokens',
  'timeseries.store',
  'timeseries.deleteWorkout',
  'timeseries.hideWorkout',
  'timeseries.restoreWorkout',
];

/** The outcome of a job: of a fetch, or of a deletion that is certain (`erased`) or not (`hidden`). */
type Worked = Fetched | { readonly kind: 'erased' } | { readonly kind: 'hidden' };

/** Starts the fetch worker. Other processes may run one beside it. Returns a function that stops it. */
export function startFetching(deps: FetchDeps): () => Promise<void> {
  const closing = new AbortController();
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const polling = poll({ deps, closing: closing.signal, stopping: stopping.signal, running, restUntil: 0 });
  const endUpkeep = startPeriodicTask({
    name: 'activitynet.upkeep',
    everyMs: deps.pace.upkeepMs,
    work: () => keepUp(deps),
    logger: deps.logger,
  });
  return async () => {
    closing.abort();
    deps.wakeSignal.notify();
    await Promise.all([polling, endUpkeep()]);
    const timer = setTimeout(() => stopping.abort(), graceMs);
    await Promise.all(running);
    clearTimeout(timer);
  };
}

async function keepUp({ database, pace, logger, wakeSignal }: FetchDeps): Promise<void> {
  await revivePostponed(database, pace.aheadMs());
  wakeSignal.notify();
  const n = await moveCrashedToDeadLetters(database, pace.aheadMs());
  if (n > 0) logger.warn('activity.given_up', { n, reason: 'CRASHED' });
}

async function poll(on: FetchLoop): Promise<void> {
  const { deps, closing } = on;
  while (!closing.aborted) {
    const begun = await beginSome(on).catch((error: unknown) => {
      deps.logger.warn('activity.claim_failed', { code: codeOf(error) });
      return 0;
    });
    // The interval varies by a quarter, so that processes that start together do not poll together.
    if (begun === 0) await deps.wakeSignal.wait(deps.pace.pollMs * (0.75 + Math.random() / 2));
  }
}

async function beginSome(on: FetchLoop): Promise<number> {
  const { deps, running } = on;
  const { database, pace } = deps;
  const free = pace.parallel - running.size;
  const { actions } = deps.broker.registry;
  if (free <= 0 || !needs.every((name) => actions.isAvailable(name))) return 0;
  const room = performance.now() < on.restUntil ? { live: 0, history: 0 } : await deps.quota.room();
  const priority =
    room.history >= 2 ? priorities.backfill : room.live >= 2 ? priorities.live : priorities.delete;
  const wanted = { aheadMs: pace.aheadMs(), priority, limit: free, leaseMs: pace.leaseMs };
  const jobs = await claimActivities(database, wanted);
  for (const job of jobs) begin(on, () => workOff(on, job));
  const run =
    jobs.length < free && room.history > 0
      ? await claimBackfill(database, pace.aheadMs(), pace.leaseMs)
      : undefined;
  if (run !== undefined)
    begin(on, async () => {
      const goesOn = await listBackfillPage(deps, run, on.stopping);
      if (!goesOn) on.restUntil = performance.now() + pace.pollMs;
    });
  return jobs.length + (run === undefined ? 0 : 1);
}

function begin({ deps, running }: FetchLoop, work: () => Promise<void>): void {
  const going = work()
    .catch((error: unknown) => deps.logger.warn('activity.work_failed', { code: codeOf(error) }))
    .finally(() => {
      running.delete(going);
      deps.wakeSignal.notify();
    });
  running.add(going);
}

// The lease is extended while the job runs. If the lease is lost, the job stops and its new holder repeats the work.
async function workOff(on: FetchLoop, job: ActivityLease): Promise<void> {
  const { deps } = on;
  const { database, pace } = deps;
  const lost = new AbortController();
  const holds = async () => {
    const isHeld = await extendLease(database, job, pace.aheadMs(), pace.leaseMs);
    if (!isHeld) lost.abort();
    return isHeld;
  };
  const beat = setInterval(() => void holds().catch(() => undefined), pace.leaseMs / 3);
  try {
    const signal = AbortSignal.any([lost.signal, on.stopping]);
    const result = await resultOf(deps, job, { signal, holds });
    if (result.kind === 'wait') on.restUntil = performance.now() + pace.pollMs;
    await settle(deps, job, result);
  } finally {
    clearInterval(beat);
  }
}

async function resultOf(
  deps: FetchDeps,
  job: ActivityLease,
  held: { readonly signal: AbortSignal; readonly holds: () => Promise<boolean> },
): Promise<Worked> {
  try {
    if (job.work === 'fetch') return await fetchActivity(deps, { job, ...held });
    return job.unconfirmed ? await hide(deps, job) : await erase(deps, job);
  } catch (error) {
    return { kind: 'failed', reason: codeOf(error) };
  }
}

async function erase({ call }: FetchDeps, job: ActivityLease): Promise<Worked> {
  await call('timeseries.deleteWorkout', workoutOf(job));
  return { kind: 'erased' };
}

// An activity is hidden only if a read can be reserved for its user. This limits how many activities forged events can
// hide.
async function hide(deps: FetchDeps, job: ActivityLease): Promise<Worked> {
  const mayRead = job.prepaid || (await reserveUserRead(deps.database, limitsOf(deps), job.user_id));
  if (!mayRead) return { kind: 'postponed' };
  await deps.call('timeseries.hideWorkout', workoutOf(job));
  return { kind: 'hidden' };
}

async function settle(deps: FetchDeps, job: ActivityLease, result: Worked): Promise<void> {
  const { database, logger, pace } = deps;
  const aheadMs = pace.aheadMs();
  const { user_id, attempt, work, history_id } = job;
  const reason = 'reason' in result ? result.reason : undefined;
  // The log omits the activity's id: at the provider it leads to a public page that names the athlete.
  logger.info('activity.worked', { user_id, attempt, work, outcome: result.kind, reason });
  if (result.kind === 'wait') return handBackActivity(database, job);
  if (result.kind === 'postponed') return postponeActivity(database, job, aheadMs);
  if (result.kind === 'hidden') return reopenUnless(deps, job, await awaitConfirmation(database, job));
  if (result.kind === 'erased') return reopenUnless(deps, job, await finishDeleted(database, job));
  if (result.kind === 'failed') {
    const delayMs = backoffMs(job.failures + 1);
    const isGivenUp = await retryActivity(database, job, { aheadMs, reason: result.reason, delayMs });
    if (isGivenUp) logger.warn('activity.given_up', { user_id, reason });
    if (isGivenUp && history_id !== null) await finishBackfill(database, history_id);
    return;
  }
  await finish(deps, job, result);
}

// If the lease was lost meanwhile, this work may have overwritten the new holder's outcome. The activity is opened
// again.
async function reopenUnless({ database }: FetchDeps, job: ActivityLease, isHeld: boolean): Promise<void> {
  if (!isHeld) return reopenActivity(database, job);
  if (job.history_id !== null) await finishBackfill(database, job.history_id);
}

async function finish(
  deps: FetchDeps,
  job: ActivityLease,
  result: Extract<Fetched, { kind: 'done' | 'nothing' | 'deleted' }>,
): Promise<void> {
  const { database } = deps;
  const isDone = result.kind === 'done';
  const isHeld = await finishActivity(database, job, finishedBy(deps, result));
  if (!isHeld && result.kind !== 'nothing') return reopenActivity(database, job);
  if (result.kind === 'nothing' && result.reason === 'USER_GONE') await deleteUser(database, job.user_id);
  else if (!isDone && result.isGone) await dropConnection(database, job.connection_id);
  if (isDone) await noteSynced(deps, job);
  if (job.history_id !== null) await finishBackfill(database, job.history_id);
}

function finishedBy({ pace }: FetchDeps, result: Parameters<typeof finish>[2]): Finished {
  const isDeleted = result.kind === 'deleted';
  return {
    error: result.kind === 'nothing' ? result.reason : null,
    streams: result.kind === 'done' ? result.streams : null,
    fetched: true,
    aheadMs: pace.aheadMs(),
    exists: !isDeleted,
    deleted: isDeleted,
  };
}

// The time of the last sync is informational: an error here does not fail the fetch.
async function noteSynced({ call }: FetchDeps, { connection_id }: ActivityLease): Promise<void> {
  await call('users.synced', { connection_ids: [connection_id] }).catch(() => undefined);
}
