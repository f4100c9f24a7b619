import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceError } from '../domain/errors.ts';
import { callAs, callWithin, type Environment, type Mixin } from '../runtime/environment.ts';
import { codeOf, failureOf } from '../runtime/failure.ts';
import { metricsOf } from '../runtime/metrics.ts';
import { loggerFor } from '../runtime/request-logger.ts';
import { type Semaphore, semaphore } from '../runtime/semaphore.ts';
import { type Inbox, inbox, type Lease, leaseMs } from './inbox.ts';
import { expectBodies } from './inbox-at-hand.ts';
import type { Progress } from './inbox-progress.ts';

/** A delivery in progress. `signal` aborts when the process stops or the lease is lost: no new step may begin then. */
export interface Job extends Lease {
  readonly body: Buffer;
  readonly signal: AbortSignal;
  /** Results of earlier attempts. */
  readonly progress: Progress;
  /** How long the delivery waited for a free slot. Its sender waited for the same time. */
  readonly waited_ms: number;
  /** Answers the call that passed the delivery in before the work is done. The work continues. */
  readonly answerEarly: (answer: unknown) => Promise<void>;
}

/**
 * The outcome of a job. `done`: finished (`authenticated`: the work verified the provider's signature). `later`: a
 * dependency is unavailable (`reason` is a code; `delayMs` replaces the default backoff). `stopped`: the signal ended
 * it. `refused`: it can never succeed; the waiting caller, if any, gets the error.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly answer: unknown; readonly authenticated?: boolean }
  | { readonly kind: 'later'; readonly reason: string; readonly answer: unknown; readonly delayMs?: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'refused'; readonly error: ServiceError; readonly answer: unknown };

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
  readonly work: (job: Job, environment: Environment) => Promise<Outcome>;
  /** Parameters of tests. Production uses the defaults. */
  readonly leaseMs?: number;
  readonly pollMs?: number;
  readonly parallel?: number;
  /** Slots that are reserved for deliveries that a call passes in. */
  readonly reserved?: number;
}

/** Processes the deliveries of one provider: at once those that a call passes in, and by polling those that are due. */
export interface InboxWorker {
  /** Processes a delivery that was just received. Returns false if it is not done, or if another worker holds it. */
  workOn(id: string): Promise<boolean>;
}

interface Worker extends InboxWorker {
  stop(): Promise<void>;
}

// Limit on the bodies in progress in one process. A parsed body takes a multiple of its size. Eight jobs keep two cores
// and the database busy.
const bodyLimitBytes = 64 * 1024 * 1024;
const parallelJobs = 8;
const pollEveryMs = 1000;
/** Time that a stop grants to running jobs before their signal aborts. */
const graceMs = 2500;

/** The worker as a mixin: `uses: { deliveries: inboxWorker({ … }) }`. Polling begins at start. */
export function inboxWorker(choice: WorkerChoice): Mixin<InboxWorker> {
  const opened = new WeakMap<InboxWorker, () => Promise<void>>();
  const queue = inbox();
  return {
    async start(environment) {
      const store = await queue.start(environment);
      const worker = startWorker(choice, store, environment);
      opened.set(worker, async () => {
        await worker.stop();
        await queue.stop(store);
      });
      return worker;
    },
    stop: async (worker) => opened.get(worker)?.(),
  };
}

interface Deps extends WorkerChoice {
  readonly store: Inbox;
  readonly environment: Environment;
  readonly semaphore: Semaphore;
  readonly stopping: AbortSignal;
}

function startWorker(choice: WorkerChoice, store: Inbox, environment: Environment): Worker {
  const closing = new AbortController();
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  const parallel = choice.parallel ?? parallelJobs;
  const deps: Deps = {
    ...choice,
    store,
    environment,
    semaphore: semaphore(parallel, bodyLimitBytes),
    stopping: stopping.signal,
  };
  const track = <T>(job: Promise<T>) => {
    const watched = job.catch(() => undefined).finally(() => running.delete(watched));
    running.add(watched);
    return job;
  };
  const begin = (lease: Lease, onAnswered?: () => void) => track(workOff(deps, lease, onAnswered));
  const polling = poll(deps, begin, closing.signal);
  const expectNoMore = expectBodies(choice.provider);
  return {
    async workOn(id) {
      const lease = await store.take(choice.provider, id, choice.leaseMs);
      if (lease === null) return false;
      const answered = Promise.withResolvers<boolean>();
      return Promise.race([begin(lease, () => answered.resolve(false)), answered.promise]);
    },
    async stop() {
      closing.abort();
      expectNoMore();
      await polling;
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await Promise.all(running);
      clearTimeout(timer);
    },
  };
}

// The interval varies by a quarter, so that processes that start together do not poll together.
async function poll(deps: Deps, begin: (lease: Lease) => Promise<unknown>, closing: AbortSignal) {
  const every = deps.pollMs ?? pollEveryMs;
  while (!closing.aborted) {
    const full = await claimSome(deps, begin).catch((error: unknown) => {
      deps.environment.logger.warn('inbox.claim_failed', { provider: deps.provider, code: codeOf(error) });
      return false;
    });
    const pause = full ? every / 20 : every * (0.75 + Math.random() / 2);
    await sleep(pause, undefined, { signal: closing }).catch(() => undefined);
  }
}

async function claimSome(deps: Deps, begin: (lease: Lease) => Promise<unknown>): Promise<boolean> {
  const free = deps.semaphore.free() - (deps.reserved ?? 0);
  if (free <= 0 || !deps.needs.every((name) => isAvailable(deps.environment, name))) return false;
  const leases = await deps.store.claim(deps.provider, free, deps.leaseMs, deps.kind);
  for (const lease of leases) void begin(lease).catch(() => undefined);
  return leases.length === free;
}

function isAvailable({ broker }: Environment, action: string): boolean {
  return broker.registry.actions.isAvailable(action);
}

// The lease is extended while the job waits for a slot and while it runs. Losing it aborts the job.
async function workOff(deps: Deps, lease: Lease, onAnswered?: () => void): Promise<boolean> {
  const came = performance.now();
  const lost = new AbortController();
  const beat = setInterval(
    () => {
      const extended = deps.store.extend(lease.id, lease.attempt, deps.leaseMs);
      extended.then((held) => held || lost.abort()).catch(() => undefined);
    },
    (deps.leaseMs ?? leaseMs) / 3,
  );
  try {
    const signal = AbortSignal.any([lost.signal, deps.stopping]);
    const answerEarly = async (answer: unknown) => {
      if (await deps.store.keepAnswer(lease.id, lease.attempt, answer)) onAnswered?.();
    };
    return await deps.semaphore.run(lease.body_bytes, () =>
      work(deps, lease, { signal, answerEarly, waited_ms: Math.round(performance.now() - came) }),
    );
  } finally {
    clearInterval(beat);
  }
}

type Turn = Pick<Job, 'signal' | 'waited_ms' | 'answerEarly'>;

async function work(deps: Deps, lease: Lease, turn: Turn): Promise<boolean> {
  const { store, environment, provider } = deps;
  const began = performance.now();
  const outcome = turn.signal.aborted ? stopped : await outcomeOf(deps, lease, turn);
  const state = await settle(store, lease, outcome);
  const { id: delivery_id, kind, attempt } = lease;
  const took_ms = Math.round(performance.now() - began);
  const reason = 'reason' in outcome ? outcome.reason : undefined;
  note(deps, lease, state);
  loggerFor(environment.logger, requestIdOf(lease)).info('delivery.worked', {
    provider,
    kind,
    delivery_id,
    attempt,
    state,
    reason,
    took_ms,
  });
  if (outcome.kind === 'refused') throw outcome.error;
  return state === 'done';
}

function note({ environment, provider }: Deps, { kind, received_ms }: Lease, state: string): void {
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

function within({ environment, provider }: Deps, lease: Lease): Environment {
  const requestId = requestIdOf(lease);
  const { broker, logger } = environment;
  const call = requestId === undefined ? environment.call : callWithin(broker, requestId);
  const sender = `webhook:${provider}`;
  return { ...environment, logger: loggerFor(logger, requestId), call: callAs(call, sender) };
}

const stopped: Outcome = { kind: 'stopped' };

async function outcomeOf(deps: Deps, lease: Lease, turn: Turn): Promise<Outcome> {
  try {
    const body = await deps.store.readBody(lease);
    const progress = deps.store.progressOf(lease);
    return await deps.work({ ...lease, ...turn, body, progress }, within(deps, lease));
  } catch (error) {
    const failure = failureOf(error, deps.environment.logger, `${deps.provider}.work`);
    return { kind: 'later', reason: codeOf(failure), answer: undefined };
  }
}

async function settle(store: Inbox, { id, attempt }: Lease, outcome: Outcome): Promise<string> {
  const lost = 'lost';
  switch (outcome.kind) {
    case 'done':
      return (await store.finish(id, attempt, outcome.answer, outcome.authenticated)) ? 'done' : lost;
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

const firstBackoffMs = 2000;
const longestBackoffMs = 30 * 60_000;

/** Delay after a failed attempt: random, up to 2 s doubled with each attempt, at most half an hour. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
}
