import { fieldOf } from '../../domain/error-code.ts';
import type { Environment } from '../environment.ts';
import { codeOf } from '../failure.ts';
import { metricsOf } from '../telemetry/metrics.ts';
import { type DueCheck, watchDue } from './due-clock.ts';
import { newWakeSignal } from './wake-signal.ts';

/** The right to work on a job, while the process holds it. */
export interface Held {
  /** Aborts when the process stops or the lease is lost: no new step may begin then. */
  readonly signal: AbortSignal;
  /** Extends the lease and returns whether this process still holds it. */
  readonly holds: () => Promise<boolean>;
}

/** What the work of a worker gets. */
export interface HeldByWorker extends Held {
  /** Whether the process is stopping: a failure may be due to that, and the job is handed back without one. */
  readonly isStopping: () => boolean;
}

/**
 * Jobs of a table and their work. `J` identifies a leased job. The table stores the lease, so every process may run a
 * worker of the same jobs.
 */
export interface JobSource<J> {
  /** The name in logs and metrics. */
  readonly name: string;
  /** The kind of a job in metrics. Default: `name`. */
  readonly kindOf?: (job: J) => string;
  /** A lease expires after this time without an extension. Another process may then claim the job. */
  readonly leaseMs: number;
  /** Interval of claims while nothing is due, with `due` the interval of the checks. */
  readonly pollMs: number;
  /** Claims follow this check instead of `pollMs`. */
  readonly due?: DueCheck;
  /** Jobs that may begin now. Default: `parallel` without the running ones. */
  readonly free?: () => number;
  /** Maximum number of jobs in progress in this process. */
  readonly parallel: number;
  /** Actions that the work calls. While one is unavailable nothing is claimed. */
  readonly needs?: readonly string[];
  /** Leases up to `free` due jobs. */
  readonly claim: (free: number) => Promise<readonly J[]>;
  /** Extends the lease of a job. Returns false if it was lost. */
  readonly extend: (job: J) => Promise<boolean>;
  /**
   * Works on a job, stores its outcome and returns the outcome's name for metrics. After an exception the job is due
   * again when its lease ends.
   */
  readonly work: (job: J, held: HeldByWorker) => Promise<string>;
}

/** A running worker. */
export interface JobWorker<J> {
  /** Claims at once instead of at the next poll. */
  notify(): void;
  /** Works on a job that the caller has leased. @throws what the work throws */
  run(job: J): Promise<string>;
  /** Whether the process is stopping, so that a failure is no failure of the job. */
  isStopping(): boolean;
  /** Claims no more jobs, grants running jobs `graceMs` and then aborts their signals. */
  stop(): Promise<void>;
}

/** Time that a stop grants to running jobs before their signal aborts. */
const graceMs = 2500;
const startingPollMs = 50;
/** A worker that watches for due jobs claims after this time without a notification. */
const longestPauseMs = 30_000;
/** Moleculer announces services to other processes a second after the last one has started. */
const announcementMs = 1500;

type WorkerDeps = Pick<Environment, 'broker' | 'logger'>;

/** Starts a worker: it claims due jobs, keeps their leases alive while they run, and finishes them before it stops. */
export function startJobWorker<J>(source: JobSource<J>, { broker, logger }: WorkerDeps): JobWorker<J> {
  const { name, parallel, pollMs, due, needs = [] } = source;
  const closing = new AbortController();
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  const wakeSignal = newWakeSignal();
  const free = source.free ?? (() => parallel - running.size);
  let wantsSlot = false;

  // The broker stops all services of a process at once, so that another one may be gone before this one is told.
  const isStopping = () => closing.signal.aborted || fieldOf(broker, 'stopping') === true;
  const run = (job: J) => {
    const work = workOn(source, job, { stopping: stopping.signal, isStopping }, broker);
    const watched: Promise<unknown> = work
      .catch(() => undefined)
      .finally(() => {
        running.delete(watched);
        if (wantsSlot) wakeSignal.notify();
      });
    running.add(watched);
    return work;
  };

  const runClaimed = (job: J) =>
    run(job)
      .catch((error: unknown) => {
        if (!isStopping()) logger.warn('job.failed', { kind: name, code: codeOf(error) });
      })
      .finally(() => wakeSignal.notify());

  const claimSome = async (): Promise<number> => {
    const slots = free();
    wantsSlot = slots <= 0;
    if (wantsSlot || !needs.every((action) => broker.registry.actions.isAvailable(action))) return 0;
    const jobs = await source.claim(slots);
    wantsSlot = jobs.length >= slots;
    for (const job of jobs) void runClaimed(job);
    return jobs.length;
  };

  const sleepWhile = async (condition: () => boolean) => {
    while (condition() && !closing.signal.aborted) await wakeSignal.wait(startingPollMs);
  };
  // A job may call a service that calls this process back. Other processes know its services after the announcement.
  const announced = async () => {
    await sleepWhile(() => !broker.started);
    const end = performance.now() + (broker.transit ? announcementMs : 0);
    await sleepWhile(() => performance.now() < end);
  };

  const poll = async () => {
    await announced();
    const endWatch = due === undefined ? null : watchDue(due, pollMs, wakeSignal.notify);
    while (!closing.signal.aborted) {
      const claimed = await claimSome().catch((error: unknown) => {
        if (!isStopping()) logger.warn('job.claim_failed', { kind: name, code: codeOf(error) });
        return null;
      });
      const pauseMs = endWatch === null || claimed === null ? pollMs : longestPauseMs;
      // The interval varies by a quarter, so that processes that start together do not poll together.
      if (!claimed) await wakeSignal.wait(pauseMs * (0.75 + Math.random() / 2));
    }
    endWatch?.();
  };
  const polling = poll();

  return {
    notify: () => wakeSignal.notify(),
    run,
    isStopping,
    async stop() {
      closing.abort();
      wakeSignal.notify();
      await polling;
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await Promise.all(running);
      clearTimeout(timer);
    },
  };
}

// The lease is extended while the job runs. Losing it aborts the job's signal.
async function workOn<J>(
  { name, kindOf = () => name, leaseMs, extend, work }: JobSource<J>,
  job: J,
  { stopping, isStopping }: { readonly stopping: AbortSignal; readonly isStopping: () => boolean },
  broker: WorkerDeps['broker'],
): Promise<string> {
  const lost = new AbortController();
  const holds = async () => {
    const isHeld = await extend(job);
    if (!isHeld) lost.abort();
    return isHeld;
  };
  const heartbeat = setInterval(() => void holds().catch(() => undefined), leaseMs / 3);
  const metrics = metricsOf(broker);
  const kind = kindOf(job);
  const began = performance.now();
  let outcome = 'failed';
  try {
    outcome = await work(job, { signal: AbortSignal.any([lost.signal, stopping]), isStopping, holds });
    return outcome;
  } finally {
    clearInterval(heartbeat);
    metrics.count('pulsebus_jobs_total', { kind, outcome });
    metrics.observe('pulsebus_job_seconds', { kind }, (performance.now() - began) / 1000);
  }
}
