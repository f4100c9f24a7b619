import type { Database } from '../../mixins/database.ts';
import { backoffMs } from '../../mixins/inbox-worker.ts';
import type { Environment } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import { startPeriodicTask } from '../../runtime/periodic-task.ts';
import type { WakeSignal } from '../../runtime/wake-signal.ts';
import { workoutOf } from './confirm-deletion.ts';
import { fetchActivity } from './fetch-activity.ts';
import type { Fetched, Fetching } from './fetched.ts';
import { listHistory } from './list-history.ts';
import { limitsOf } from './owner-budget.ts';
import {
  type ActivityLease,
  claimActivities,
  moveCrashedToDeadLetters,
  revivePostponed,
} from './queries/claim-activities.ts';
import { deleteUser, dropConnection } from './queries/drop-work.ts';
import { closeHistory } from './queries/history-runs.ts';
import { claimHistory } from './queries/list-history.ts';
import { priorities } from './queries/note-event.ts';
import { chargeOwner } from './queries/owner-reads.ts';
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

/** What the fetching of a process takes. */
export interface FetchDeps extends Fetching, Environment {
  readonly database: Database;
  readonly wakeSignal: WakeSignal;
}

interface Walk {
  readonly deps: FetchDeps;
  readonly closing: AbortSignal;
  readonly stopping: AbortSignal;
  readonly running: Set<Promise<void>>;
  /** Until when nothing that costs a read is claimed: something had to wait. */
  restUntil: number;
}

/** How long a stop lets fetches come to their end. */
const graceMs = 3000;
/** Actions without which a read would be wasted. */
const needs = [
  'users.tokens',
  'timeseries.store',
  'timeseries.deleteWorkout',
  'timeseries.hideWorkout',
  'timeseries.restoreWorkout',
];

/** What came of a job: of a fetch, or of a deletion that is certain (`erased`) or not (`hidden`). */
type Worked = Fetched | { readonly kind: 'erased' } | { readonly kind: 'hidden' };

/** Works on what waits, beside other processes that do the same. Returns what ends it. */
export function startFetching(deps: FetchDeps): () => Promise<void> {
  const closing = new AbortController();
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const walking = walk({ deps, closing: closing.signal, stopping: stopping.signal, running, restUntil: 0 });
  const endUpkeep = startPeriodicTask({
    name: 'activitynet.upkeep',
    everyMs: deps.pace.upkeepMs,
    work: () => keepUp(deps),
    logger: deps.logger,
  });
  return async () => {
    closing.abort();
    deps.wakeSignal.notify();
    await Promise.all([walking, endUpkeep()]);
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

async function walk(on: Walk): Promise<void> {
  const { deps, closing } = on;
  while (!closing.aborted) {
    const begun = await beginSome(on).catch((error: unknown) => {
      deps.logger.warn('activity.claim_failed', { code: codeOf(error) });
      return 0;
    });
    // Each round a little early or late, so that processes started together do not ask together.
    if (begun === 0) await deps.wakeSignal.wait(deps.pace.pollMs * (0.75 + Math.random() / 2));
  }
}

async function beginSome(on: Walk): Promise<number> {
  const { deps, running } = on;
  const { database, pace } = deps;
  const free = pace.parallel - running.size;
  const { actions } = deps.broker.registry;
  if (free <= 0 || !needs.every((name) => actions.isAvailable(name))) return 0;
  const room = performance.now() < on.restUntil ? { live: 0, history: 0 } : await deps.budget.room();
  const priority =
    room.history >= 2 ? priorities.history : room.live >= 2 ? priorities.live : priorities.delete;
  const wanted = { aheadMs: pace.aheadMs(), priority, limit: free, leaseMs: pace.leaseMs };
  const jobs = await claimActivities(database, wanted);
  for (const job of jobs) begin(on, () => workOff(on, job));
  const run =
    jobs.length < free && room.history > 0
      ? await claimHistory(database, pace.aheadMs(), pace.leaseMs)
      : undefined;
  if (run !== undefined)
    begin(on, async () => {
      const goesOn = await listHistory(deps, run, on.stopping);
      if (!goesOn) on.restUntil = performance.now() + pace.pollMs;
    });
  return jobs.length + (run === undefined ? 0 : 1);
}

function begin({ deps, running }: Walk, work: () => Promise<void>): void {
  const going = work()
    .catch((error: unknown) => deps.logger.warn('activity.work_failed', { code: codeOf(error) }))
    .finally(() => {
      running.delete(going);
      deps.wakeSignal.notify();
    });
  running.add(going);
}

// The lease is kept while the job lasts; a lost one ends it, and whoever has it now does the work again.
async function workOff(on: Walk, job: ActivityLease): Promise<void> {
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

// Hidden is only what can be asked about: forged events hide no more than their owner's reads allow.
async function hide(deps: FetchDeps, job: ActivityLease): Promise<Worked> {
  const isPaid = job.prepaid || (await chargeOwner(deps.database, limitsOf(deps), job.user_id));
  if (!isPaid) return { kind: 'postponed' };
  await deps.call('timeseries.hideWorkout', workoutOf(job));
  return { kind: 'hidden' };
}

async function settle(deps: FetchDeps, job: ActivityLease, result: Worked): Promise<void> {
  const { database, logger, pace } = deps;
  const aheadMs = pace.aheadMs();
  const { user_id, attempt, work, history_id } = job;
  const reason = 'reason' in result ? result.reason : undefined;
  // Not the activity's id: at the provider it leads to a page that names its owner.
  logger.info('activity.worked', { user_id, attempt, work, outcome: result.kind, reason });
  if (result.kind === 'wait') return handBackActivity(database, job);
  if (result.kind === 'postponed') return postponeActivity(database, job, aheadMs);
  if (result.kind === 'hidden') return reopenUnless(deps, job, await awaitConfirmation(database, job));
  if (result.kind === 'erased') return reopenUnless(deps, job, await finishDeleted(database, job));
  if (result.kind === 'failed') {
    const delayMs = backoffMs(job.failures + 1);
    const isGivenUp = await retryActivity(database, job, { aheadMs, reason: result.reason, delayMs });
    if (isGivenUp) logger.warn('activity.given_up', { user_id, reason });
    if (isGivenUp && history_id !== null) await closeHistory(database, history_id);
    return;
  }
  await finish(deps, job, result);
}

// Whoever lost its lease meanwhile may have worked over somebody else's outcome.
async function reopenUnless({ database }: FetchDeps, job: ActivityLease, isHeld: boolean): Promise<void> {
  if (!isHeld) return reopenActivity(database, job);
  if (job.history_id !== null) await closeHistory(database, job.history_id);
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
  if (job.history_id !== null) await closeHistory(database, job.history_id);
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

// A note, not a fact: that it failed does not make a fetch fail.
async function noteSynced({ call }: FetchDeps, { connection_id }: ActivityLease): Promise<void> {
  await call('users.synced', { connection_ids: [connection_id] }).catch(() => undefined);
}
