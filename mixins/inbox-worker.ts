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

export { codeOf };

/** A delivery at work. `signal` says that the process stops, or that the lease was lost: begin nothing new. */
export interface Job extends Lease {
  readonly body: Buffer;
  readonly signal: AbortSignal;
  /** What earlier attempts reached. */
  readonly progress: Progress;
  /** How long it waited for its turn, which is time that its sender waited too. */
  readonly waited_ms: number;
  /** Answers whoever handed the delivery over, before the work is done; the work itself goes on behind. */
  readonly answerEarly: (answer: unknown) => Promise<void>;
}

/**
 * What came of a job: `done` (`authenticated`: the work verified the provider's signature); `later` when something is away for now (`reason` is a code; `delayMs` where it is known
 * better than by doubling); `stopped` when the signal ended it; `refused` when it can never be worked on, which the
 * caller, if there is one, is told.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly answer: unknown; readonly authenticated?: boolean }
  | { readonly kind: 'later'; readonly reason: string; readonly answer: unknown; readonly delayMs?: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'refused'; readonly error: ServiceError; readonly answer: unknown };

/** Whose deliveries are worked on, and how. */
export interface WorkerChoice {
  readonly provider: string;
  /** Only deliveries of this kind: what waits for another's server gets turns of its own. All of them unless told. */
  readonly kind?: string;
  /** Actions that the work calls: while one is away nothing is claimed, and no attempt is spent. */
  readonly needs: readonly string[];
  readonly work: (job: Job, environment: Environment) => Promise<Outcome>;
  /** Parameters of tests; the defaults are what runs. */
  readonly leaseMs?: number;
  readonly pollMs?: number;
  readonly parallel?: number;
  /** Semaphore that are left to calls: what is behind does not take them. */
  readonly reserved?: number;
}

/** Works on the deliveries of one provider: at once on what a call hands over, behind it on what is due. */
export interface InboxWorker {
  /** Works on a delivery that was just received; false when it is not done, or somebody else's. */
  workOn(id: string): Promise<boolean>;
}

interface Worker extends InboxWorker {
  stop(): Promise<void>;
}

// Bodies in work in one process; parsed they take a multiple. 8 at once keep two cores and the database busy.
const bodyBudgetBytes = 64 * 1024 * 1024;
const parallelJobs = 8;
const pollEveryMs = 1000;
/** How long a stop lets jobs come to their end before it tells them to hand back. */
const graceMs = 2500;

/** A worker as a mixin: `uses: { deliveries: inboxWorker({ … }) }`. It begins to claim when it is opened. */
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
    semaphore: semaphore(parallel, bodyBudgetBytes),
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

// Each round a little early or late, so that processes started together do not ask together.
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

// The lease is kept while the job waits for its turn and while it works; a lost one ends it.
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

// Of the request that brought it: what is done about it, whenever and wherever, is told under one id.
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

/** How long to wait after a failed attempt: anything up to 2 s doubled each time, half an hour at most. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
}
