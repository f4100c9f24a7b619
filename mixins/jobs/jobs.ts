import type { Environment, Mixin } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import {
  type Held,
  type HeldByWorker,
  type JobWorker,
  startJobWorker,
} from '../../runtime/jobs/job-worker.ts';
import { metricsOf } from '../../runtime/telemetry/metrics.ts';
import { type Database, database, type Queryable } from '../database/database.ts';
import { settleJob } from './job-outcomes.ts';
import {
  claimJobs,
  countJobs,
  enqueue,
  ensureRecurring,
  extendJob,
  isDue,
  type Job,
  type JobKind,
  type JobOutcome,
  type JobRow,
  leaseJob,
  type NewJob,
  type RetryRules,
} from './job-queue.ts';

/** A kind of jobs with its handler. `jobHandler` makes one from typed parts. */
export interface JobHandler {
  readonly kind: RetryRules;
  /** Jobs of this kind at once in this process. */
  readonly parallel: number;
  /** Actions that the handler calls. While one is unavailable no job of this kind is claimed. */
  readonly needs: readonly string[];
  /** Delay of the first run of a recurring job. */
  readonly firstAfterMs?: number;
  readonly work: (row: JobRow, held: Held) => Promise<JobOutcome>;
}

/** Options of a handler. */
export interface HandlerOptions {
  readonly parallel?: number;
  readonly needs?: readonly string[];
}

/** A recurring job: its name, its interval, and the delay of its first run. */
export interface Recurring {
  readonly name: string;
  readonly everyMs: number;
  /** Default: `everyMs`. */
  readonly firstAfterMs?: number;
}

/**
 * The handler of a kind. It must be idempotent: after a crash between its work and the commit of its outcome the job
 * runs again. An exception counts as a failure.
 */
export function jobHandler<P>(
  kind: JobKind<P>,
  work: (job: Job<P>, held: Held) => Promise<JobOutcome>,
  { parallel = 1, needs = [] }: HandlerOptions = {},
): JobHandler {
  return {
    kind,
    parallel,
    needs,
    async work(row, held) {
      const payload = kind.payload.safeParse(row.payload);
      if (!payload.success) return { kind: 'dead', reason: 'PAYLOAD_INVALID' };
      return work({ ...row, payload: payload.data }, held);
    },
  };
}

/**
 * The handler of a job that exists once for all processes: it is due again `everyMs` after each run. Without an outcome
 * of `work` the run succeeded.
 */
export function recurringHandler(
  { name, everyMs, firstAfterMs = everyMs }: Recurring,
  work: (held: Held) => Promise<JobOutcome | undefined>,
): JobHandler {
  return {
    kind: { name, everyMs },
    parallel: 1,
    needs: [],
    firstAfterMs,
    work: async (_row, held) => (await work(held)) ?? { kind: 'done' },
  };
}

/** After this time a job with parts left is handed back. */
const longestRunMs = 30_000;

/**
 * Repeats a bounded part of a job until it returns false (nothing is left) or the signal aborts. A long job is due again
 * at once, after the waiting jobs of its kind. Crashes are counted anew then, because the finished parts are progress.
 */
export async function workInParts(
  part: () => Promise<boolean>,
  { signal }: Held,
  mostMs = longestRunMs,
): Promise<JobOutcome> {
  const end = performance.now() + mostMs;
  while (!signal.aborted) {
    if (!(await part())) return { kind: 'done' };
    if (performance.now() >= end) return { kind: 'again', delayMs: 0 };
  }
  return { kind: 'stopped' };
}

/** The jobs of a service in the table jobs.job. */
export interface Jobs {
  /** Starts the handlers of a service. Returns the function that stops them. */
  start(handlers: readonly JobHandler[], pace?: Partial<JobPace>): Promise<() => Promise<void>>;
  /** Claims at once. Called after a transaction that enqueued a job of this service. */
  notify(): void;
  /**
   * Enqueues a job and leases it to this process, so that the caller can wait for its first attempt. Returns the
   * attempt, which begins after the transaction. If another process works on the job, the attempt is left to it.
   */
  enqueueLeased<P>(transaction: Queryable, kind: JobKind<P>, job: NewJob<P>): Promise<FirstAttempt>;
}

/** Runs the first attempt of a leased job. It never rejects: after a failure the job is due again. */
export type FirstAttempt = () => Promise<void>;

/** The pace of a worker. Production uses the defaults. */
export interface JobPace {
  readonly pollMs: number;
  readonly leaseMs: number;
}

const defaultPace: JobPace = { pollMs: 1000, leaseMs: 30_000 };
/** An attempt without an outcome this often probably crashes its process. The job becomes a dead letter. */
const mostCrashes = 5;

/** The jobs of a service as a mixin: `uses: { jobs: jobs() }`. */
export function jobs(): Mixin<Jobs> {
  return async (starting) => jobsOn(await database()(starting), starting);
}

/** The jobs over an open database. */
function jobsOn(pool: Database, environment: Environment): Jobs {
  let worker: JobWorker<JobRow> | undefined;
  return {
    notify: () => worker?.notify(),
    async enqueueLeased(transaction, kind, job) {
      await enqueue(transaction, kind, job);
      const row = await leaseJob(transaction, kind, { key: job.key, leaseMs: defaultPace.leaseMs });
      return async () => {
        if (row === undefined) return;
        await worker?.run(row).catch((error) => {
          if (worker?.isStopping() === true) return;
          environment.logger.warn('job.failed', { kind: kind.name, code: codeOf(error) });
        });
      };
    },
    async start(handlers, pace = {}) {
      const endFigures = reportFigures(pool, handlers, environment);
      const started = startHandlers(pool, handlers, environment, { ...defaultPace, ...pace });
      worker = started;
      return async () => {
        endFigures();
        await started.stop();
      };
    },
  };
}

function startHandlers(
  pool: Database,
  handlers: readonly JobHandler[],
  { broker, logger }: Environment,
  { pollMs, leaseMs }: JobPace,
): JobWorker<JobRow> {
  const byKind = new Map(handlers.map((handler) => [handler.kind.name, handler]));
  const running = new Map<string, number>();
  const runs = (kind: string, more: number) => running.set(kind, (running.get(kind) ?? 0) + more);
  const mayRun = ({ needs }: JobHandler) => needs.every((name) => broker.registry.actions.isAvailable(name));
  let missing = handlers.filter(({ kind: { everyMs } }) => everyMs !== undefined);
  // Before a claim and not at the start: a service also starts while the database is unavailable.
  const createRecurring = async () => {
    for (const { kind, firstAfterMs } of missing) await ensureRecurring(pool, kind.name, firstAfterMs ?? 0);
    missing = [];
  };
  const freeOf = () =>
    new Map(
      handlers
        .filter(mayRun)
        .map(({ kind: { name }, parallel }) => [name, parallel - (running.get(name) ?? 0)] as const)
        .filter(([, free]) => free > 0),
    );

  return startJobWorker<JobRow>(
    {
      name: [...new Set(handlers.map(({ kind: { name } }) => name.split('.')[0]))].join(' '),
      leaseMs,
      pollMs,
      parallel: handlers.reduce((sum, { parallel }) => sum + parallel, 0),
      kindOf: ({ kind }) => kind,
      due: { database: pool, condition: () => isDue([...byKind.keys()]) },
      claim: async (limit) => {
        await createRecurring();
        const free = freeOf();
        return free.size === 0 ? [] : claimJobs(pool, free, { limit, leaseMs });
      },
      extend: (row) => extendJob(pool, row, leaseMs),
      async work(row, held) {
        const handler = byKind.get(row.kind);
        if (handler === undefined) throw new Error('a job of another service was claimed');
        runs(row.kind, 1);
        try {
          const outcome = await outcomeOf(handler, row, held, logger);
          return await settleJob(pool, handler.kind, row, outcome);
        } finally {
          runs(row.kind, -1);
        }
      },
    },
    { broker, logger },
  );
}

async function outcomeOf(
  { work, kind }: JobHandler,
  row: JobRow,
  held: HeldByWorker,
  logger: Environment['logger'],
): Promise<JobOutcome> {
  if (held.signal.aborted) return { kind: 'stopped' };
  if (row.cancelled) return { kind: 'done' };
  if (row.crashes > mostCrashes && kind.everyMs === undefined) return { kind: 'dead', reason: 'CRASHED' };
  try {
    return await work(row, held);
  } catch (error) {
    if (held.isStopping()) return { kind: 'stopped' };
    const reason = codeOf(error);
    logger.warn('job.failed', { kind: kind.name, failures: row.failures + 1, code: reason });
    return { kind: 'later', reason };
  }
}

function reportFigures(pool: Database, handlers: readonly JobHandler[], { broker }: Environment): () => void {
  const metrics = metricsOf(broker);
  const kinds = handlers.map(({ kind }) => kind.name);
  return metrics.onScrape(async () => {
    for (const { kind, state, n } of await countJobs(pool, kinds))
      metrics.set('pulsebus_jobs_waiting', { kind, state }, n);
  });
}
