import { actionsByName } from '../../contracts/all.ts';
import type { ServiceError } from '../../domain/errors.ts';
import {
  callAs,
  callingOptions,
  callWithin,
  type Environment,
  type Mixin,
} from '../../runtime/environment.ts';
import { codeOf, failureOf } from '../../runtime/failure.ts';
import { backoffMs } from '../../runtime/jobs/backoff.ts';
import { type Held, type JobWorker, startJobWorker } from '../../runtime/jobs/job-worker.ts';
import { semaphore } from '../../runtime/jobs/semaphore.ts';
import { loggerFor } from '../../runtime/telemetry/logger.ts';
import { metricsOf } from '../../runtime/telemetry/metrics.ts';
import { type Database, database } from '../database/database.ts';
import { leaseMs as defaultLeaseMs, type Lease } from './delivery.ts';
import { type Inbox, inboxOn } from './inbox.ts';
import { expectBodies } from './inbox-at-hand.ts';
import type { Job, Outcome } from './inbox-job.ts';

/** What the work on a delivery gets. Calls and log lines carry the request that brought it. */
export interface WorkEnvironment extends Environment {
  readonly database: Database;
}

/** The provider whose deliveries are processed, and the parameters of the worker. */
export interface WorkerChoice {
  readonly provider: string;
  /**
   * Processes deliveries of this kind only. A kind that waits for another server gets slots of its own. Default: all
   * kinds.
   */
  readonly kind?: string;
  /** Actions that the work calls. While one is unavailable nothing is claimed and no attempt is counted. */
  readonly needs: readonly string[];
  readonly work: (job: Job, environment: WorkEnvironment) => Promise<Outcome>;
  /** The memory that work on a body of a size takes. Default: the size. */
  readonly weightOf?: (bodyBytes: number) => number;
  /** Parameters of tests. Production uses the defaults. */
  readonly leaseMs?: number;
  readonly pollMs?: number;
  readonly parallel?: number;
  /** Slots that are reserved for deliveries that a call passes in. */
  readonly reserved?: number;
  /** How long a call waits for the end of the work. Default: `callEndMs`. */
  readonly answerWithinMs?: number;
}

/** Processes the deliveries of one provider: at once those that a call passes in, and by polling those that are due. */
export interface InboxWorker {
  /**
   * Processes a delivery that was just received. Returns false if it is not done when the call has to end, while the work
   * continues, or if another worker holds it.
   * @throws the error of a refused delivery
   */
  workOn(id: string): Promise<boolean>;
}

// Limit on the bodies in progress in one process. A parsed body takes a multiple of its size. Eight jobs keep two cores
// and the database busy.
const bodyLimitBytes = 64 * 1024 * 1024;
const parallelJobs = 8;
const pollEveryMs = 1000;

/** The worker as a mixin: `uses: { deliveries: inboxWorker({ … }) }`. Polling begins at start. */
export function inboxWorker(choice: WorkerChoice): Mixin<InboxWorker> {
  return async (starting) => {
    const own = await database()(starting);
    const deps: Deps = { ...choice, store: inboxOn(own), database: own, environment: starting };
    const jobs = startWorker(deps);
    starting.onStop(() => jobs.stop());
    starting.onStop(expectBodies(choice.provider));
    const endMs = choice.answerWithinMs ?? callEndMs(choice);
    return { workOn: (id) => untilEnd(workOn(deps, jobs, id), endMs) };
  };
}

/**
 * How long a call that passes in a delivery waits: less than the time-out of its action, so that work that waits in the queue
 * ends the call instead of the bus.
 */
export function callEndMs({ provider, kind }: Pick<WorkerChoice, 'provider' | 'kind'>): number {
  const timeouts = [...actionsByName].flatMap(([name, { http }]) => {
    const delivery = http?.delivery;
    const isOwn = delivery?.provider === provider && (kind === undefined || delivery.kind === kind);
    return isOwn ? [callingOptions(name).timeout ?? 0] : [];
  });
  return Math.floor(0.9 * Math.min(...timeouts, defaultLeaseMs));
}

/** The result of work that ends in time, otherwise false. */
async function untilEnd(work: Promise<boolean>, endMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), endMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

interface Deps extends WorkerChoice {
  readonly store: Inbox;
  readonly database: Database;
  readonly environment: Environment;
}

/** A leased delivery. A refusal is reported to the call that passed it in. */
interface Claimed {
  readonly lease: Lease;
  readonly onRefused?: (error: ServiceError) => void;
}

function startWorker(deps: Deps): JobWorker<Claimed> {
  const { provider, kind, needs, store, reserved = 0, parallel = parallelJobs } = deps;
  const { leaseMs = defaultLeaseMs, pollMs = pollEveryMs } = deps;
  const slots = semaphore(parallel, bodyLimitBytes);
  return startJobWorker<Claimed>(
    {
      name: `${provider}.${kind ?? 'delivery'}`,
      leaseMs,
      pollMs,
      parallel,
      needs,
      free: () => slots.free() - reserved,
      due: store.due(provider, kind),
      async claim(free) {
        return (await store.claim(provider, free, leaseMs, kind)).map((lease) => ({ lease }));
      },
      extend: ({ lease: { id, attempt } }) => store.extend(id, attempt, leaseMs),
      work(claimed, held) {
        const came = performance.now();
        const { body_bytes, crashes } = claimed.lease;
        // A delivery that was in work when a process ended runs alone: if it ends this one too, nothing else is lost with it.
        const weight = crashes > 0 ? bodyLimitBytes + 1 : (deps.weightOf?.(body_bytes) ?? body_bytes);
        return slots.run(weight, () => work(deps, claimed, held, Math.round(performance.now() - came)));
      },
    },
    deps.environment,
  );
}

async function workOn(
  { store, provider, leaseMs }: Pick<Deps, 'store' | 'provider' | 'leaseMs'>,
  jobs: JobWorker<Claimed>,
  id: string,
): Promise<boolean> {
  const lease = await store.take(provider, id, leaseMs);
  if (lease === null) return false;
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const claimed = { lease, onRefused: reject };
  jobs.run(claimed).then((state) => resolve(state === 'done'), reject);
  return promise;
}

async function work(deps: Deps, claimed: Claimed, held: Held, waited_ms: number): Promise<string> {
  const { store, environment, provider } = deps;
  const { lease, onRefused } = claimed;
  const { id: delivery_id, kind, attempt } = lease;
  const began = performance.now();
  const turn = { signal: held.signal, waited_ms };
  const outcome = held.signal.aborted ? stopped : await outcomeOf(deps, lease, turn);
  const state = await settle(store, lease, outcome);
  const took_ms = Math.round(performance.now() - began);
  const reason = 'reason' in outcome ? outcome.reason : undefined;
  observe(deps, lease, state);
  const event = { provider, kind, delivery_id, attempt, state, reason, took_ms };
  loggerFor(environment.logger, requestIdOf(lease)).info('delivery.worked', event);
  if (outcome.kind === 'refused') onRefused?.(outcome.error);
  return state;
}

function observe({ environment, provider }: Deps, { kind, received_ms }: Lease, state: string): void {
  const metrics = metricsOf(environment.broker);
  metrics.count('pulsebus_deliveries_worked_total', { provider, kind, state });
  if (state !== 'done') return;
  const seconds = Math.max(0, Date.now() - received_ms) / 1000;
  metrics.observe('pulsebus_delivery_readable_seconds', { provider, kind }, seconds);
}

// The id of the request that brought the delivery. All later log lines about the delivery carry it.
function requestIdOf({ headers }: Lease): string | undefined {
  return headers['x-request-id'];
}

function within({ environment, database, provider }: Deps, lease: Lease): WorkEnvironment {
  const requestId = requestIdOf(lease);
  const { broker, logger } = environment;
  const call = requestId === undefined ? environment.call : callWithin(broker, requestId);
  const sender = `webhook:${provider}`;
  const { config } = environment;
  return { config, broker, database, logger: loggerFor(logger, requestId), call: callAs(call, sender) };
}

type Turn = Pick<Job, 'signal' | 'waited_ms'>;

const stopped: Outcome = { kind: 'stopped' };

async function outcomeOf(deps: Deps, lease: Lease, turn: Turn): Promise<Outcome> {
  try {
    const body = await deps.store.readBody(lease);
    const progress = deps.store.progressOf(lease);
    return await deps.work({ ...lease, ...turn, body, progress, isReprocess: false }, within(deps, lease));
  } catch (error) {
    const failure = failureOf(error, deps.environment.logger, `${deps.provider}.work`);
    return { kind: 'later', reason: codeOf(failure), answer: undefined };
  }
}

async function settle(store: Inbox, { id, attempt }: Lease, outcome: Outcome): Promise<string> {
  const lost = 'lost';
  switch (outcome.kind) {
    case 'done':
      return (await store.finish(id, attempt, outcome.answer, outcome.warning)) ? 'done' : lost;
    case 'stopped':
      return (await store.handBack(id, attempt)) ? 'ready' : lost;
    case 'refused':
      return (await store.fail(id, attempt, outcome.error.type, outcome.answer)) ? 'dead' : lost;
    case 'later': {
      const { reason, answer, delayMs = backoffMs(attempt) } = outcome;
      const retry = { reason, answer, delayMs };
      return (await store.retryLater(id, attempt, retry)) ?? lost;
    }
  }
}
