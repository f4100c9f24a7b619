import type { Logger } from 'moleculer';
import { dayMs } from '../../../domain/time/time.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { RowJobs } from '../../../mixins/jobs/row-jobs.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { Environment, Mixin } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { newPoster, type Poster } from '../../../runtime/http/guarded-post.ts';
import type { Resolve } from '../../../runtime/http/guarded-request.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import { type Metrics, metricsOf } from '../../../runtime/telemetry/metrics.ts';
import {
  type Attempt,
  crashed,
  type DeliveryPace,
  dropped,
  failingDays,
  handedBack,
  isOwnFailure,
  mostCrashes,
  type Outcome,
  outcomeOf,
  restMs,
  unsent,
} from '../rules/outcome.ts';
import { signedHeaders } from '../rules/signatures.ts';
import {
  type AddressedEndpoint,
  disableEndpoint,
  type HealthReason,
  noteFailure,
  noteSuccess,
} from '../tables/endpoints.ts';
import {
  claimMessages,
  extendMessage,
  isMessageDue,
  type MessageLease,
  type Receiver,
  type Settled,
  settleMessages,
} from '../tables/message-leases.ts';
import { countWaiting } from '../tables/messages.ts';
import type { BodyOf } from './message-body.ts';

/** Dependencies of deliveries. */
export interface DeliveryDeps extends Pick<Environment, 'broker' | 'logger'> {
  readonly database: Database;
  readonly rowJobs: RowJobs;
  readonly poster: Poster;
  readonly cipher: Pick<Cipher, 'decrypt'>;
  readonly bodyOf: BodyOf;
  readonly pace: DeliveryPace;
}

interface Delivering extends DeliveryDeps {
  readonly settler: Settler;
  readonly health: EndpointHealth;
}

/*
 * Messages in progress are limited per endpoint only. Endpoints that do not answer would use up a limit of the
 * process. A project has at most 50 endpoints.
 */
const unlimited = 1_000_000;

/** Delivers messages while the process runs. Returns the function that stops it. */
export function startDelivering(deps: DeliveryDeps): () => Promise<void> {
  const { database, pace, rowJobs } = deps;
  const { leaseMs, pollMs } = pace;
  const settler = newSettler(database, pace.aheadMs);
  const delivering = { ...deps, settler, health: newEndpointHealth(deps) };
  const slots = newSlots(pace.parallel);
  const timers = new Set<NodeJS.Timeout>();
  // An endpoint with a limit per second may be due before the next poll.
  const wakeAfter = (pauseMs: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      rowJobs.notify();
    }, pauseMs);
    timers.add(timer);
  };

  const stop = rowJobs.start<MessageLease>({
    name: 'webhooks.deliver',
    leaseMs,
    pollMs,
    parallel: unlimited,
    due: { database, condition: () => isMessageDue(pace.aheadMs()) },
    free: () => unlimited,
    claim: async () => {
      const free = slots.free();
      const claim = { parallel: pace.parallel, free, aheadMs: pace.aheadMs(), leaseMs };
      const leases = await claimMessages(database, claim);
      for (const { endpoint_id } of leases) slots.take(endpoint_id);
      const pauses = new Map(leases.map(({ endpoint_id, pause_ms }) => [endpoint_id, pause_ms]));
      for (const pauseMs of pauses.values()) if (pauseMs !== null) wakeAfter(pauseMs);
      return leases;
    },
    extend: (lease) => extendMessage(database, lease, leaseMs, pace.aheadMs()),
    work: (lease, held) => deliver(delivering, lease, held).finally(() => slots.give(lease.endpoint_id)),
  });
  return async () => {
    for (const timer of timers) clearTimeout(timer);
    await stop();
    for (const timer of timers) clearTimeout(timer);
  };
}

/** Sends a leased message once and stores the outcome. Returns the outcome's name. */
async function deliver(deps: Delivering, lease: MessageLease, held: Held): Promise<string> {
  const outcome = await attemptOf(deps, lease, held);
  if (outcome === 'lost' || !(await deps.settler.settle({ lease, outcome }))) return 'lost';
  report(deps, lease, outcome);
  await deps.health.note(lease, outcome);
  return outcome.isFailure ? 'failed' : outcome.state;
}

async function attemptOf(deps: Delivering, lease: MessageLease, held: Held): Promise<Outcome | 'lost'> {
  if (held.signal.aborted) return handedBack;
  if (lease.crashes > mostCrashes) return crashed(unsent('CRASHED'));
  if (lease.change_id !== null && lease.change === null) return dropped;
  const body = await deps.bodyOf(lease).catch((error: unknown) => {
    deps.logger.warn('webhook.body_failed', { message_id: lease.id, code: codeOf(error) });
    return null;
  });
  if (body === null) return outcomeOf(lease, unsent('DATA_UNAVAILABLE'), deps.pace);
  // The user may have been erased while the record was read.
  if (lease.include_data && !(await held.holds())) return 'lost';
  return outcomeOf(lease, await sent(deps, lease, body, held), deps.pace);
}

function sent(deps: Delivering, lease: MessageLease, body: string, { signal }: Held): Promise<Attempt> {
  return sendOnce(deps, { id: lease.id, receiver: lease, body }, signal).catch((error: unknown) => {
    deps.logger.warn('webhook.not_signed', { message_id: lease.id, code: codeOf(error) });
    return unsent('NOT_SIGNED');
  });
}

function report({ broker, logger }: Delivering, lease: MessageLease, { state, isFailure, attempt }: Outcome) {
  const { endpoint_id: endpoint, recorded_at, is_repeated } = lease;
  const metrics = metricsOf(broker);
  if (state === 'delivered') {
    metrics.count('pulsebus_webhook_attempts_total', { endpoint, outcome: 'delivered' });
    const receivedSeconds = (Date.now() - recorded_at.getTime()) / 1000;
    if (!is_repeated) metrics.observe('pulsebus_webhook_received_seconds', { endpoint }, receivedSeconds);
  }
  if (!isFailure) return;
  metrics.count('pulsebus_webhook_attempts_total', { endpoint, outcome: 'failed' });
  const { status, error } = attempt ?? unsent('UNKNOWN');
  logger.warn('webhook.failed', { endpoint_id: endpoint, message_id: lease.id, status, code: error });
}

/** Dependencies of an attempt. */
interface AttemptDeps {
  readonly poster: Poster;
  readonly cipher: Pick<Cipher, 'decrypt'>;
  readonly pace: Pick<DeliveryPace, 'connectMs' | 'totalMs'>;
}

/** Signs a message and sends it once. */
export async function sendOnce(
  { poster, cipher, pace }: AttemptDeps,
  { id, receiver, body }: { readonly id: string; readonly receiver: Receiver; readonly body: string },
  signal: AbortSignal,
): Promise<Attempt> {
  const began = performance.now();
  const headers = signedHeaders(cipher, receiver, { id, at: new Date(), body });
  const limits = { ...pace, signal };
  const { failure, ...answer } = await poster.post(new URL(receiver.url), { headers, body }, limits);
  const durationMs = Math.round(performance.now() - began);
  return { ...answer, error: failure?.toUpperCase() ?? null, durationMs };
}

/** Stores outcomes. Outcomes that arrive while a statement runs are stored together by the next statement. */
interface Settler {
  /** Returns whether the caller still held the message. */
  settle(settled: Settled): Promise<boolean>;
}

interface UnstoredOutcome {
  readonly settled: Settled;
  readonly isStored: PromiseWithResolvers<boolean>;
}

/** Outcomes of one statement. */
const mostTogether = 200;

function newSettler(database: Database, aheadMs: () => number): Settler {
  const unstored: UnstoredOutcome[] = [];
  let isRunning = false;

  const store = async (part: readonly UnstoredOutcome[]): Promise<void> => {
    try {
      const outcomes = part.map(({ settled }) => settled);
      const storedIds = await settleMessages(database, outcomes, aheadMs());
      for (const { settled, isStored } of part) isStored.resolve(storedIds.has(settled.lease.id));
    } catch (error) {
      // One by one, so that an outcome that cannot be stored does not affect the others.
      if (part.length > 1) for (const outcome of part) await store([outcome]);
      else part[0]?.isStored.reject(error);
    }
  };
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    while (unstored.length > 0) await store(unstored.splice(0, mostTogether));
    isRunning = false;
  };

  return {
    settle(settled) {
      const isStored = Promise.withResolvers<boolean>();
      unstored.push({ settled, isStored });
      void run();
      return isStored.promise;
    },
  };
}

/** The messages that this process may begin per endpoint. */
interface Slots {
  take(endpointId: string): void;
  give(endpointId: string): void;
  /** Free slots of the endpoints that have messages in progress. All others have every slot. */
  free(): Map<string, number>;
}

/** Slots of which each endpoint has `parallel`. */
function newSlots(parallel: number): Slots {
  const taken = new Map<string, number>();
  const change = (endpointId: string, by: number) => {
    const count = (taken.get(endpointId) ?? 0) + by;
    if (count === 0) taken.delete(endpointId);
    else taken.set(endpointId, count);
  };
  return {
    take: (endpointId) => change(endpointId, 1),
    give: (endpointId) => change(endpointId, -1),
    free: () => new Map([...taken].map(([endpointId, count]) => [endpointId, parallel - count])),
  };
}

/** The poster of a process as a mixin. Origins of WEBHOOK_ENDPOINT_ORIGINS are allowed as they are; names of others are resolved by `resolve`. */
export function poster(resolve?: Resolve): Mixin<Poster> {
  return ({ config, onStop }) => {
    const opened = newPoster({ origins: config.WEBHOOK_ENDPOINT_ORIGINS, resolve });
    onStop(() => opened.close());
    return opened;
  };
}

/** Sets the number and the age of the messages that wait, per endpoint. */
export async function setDeliveryFigures(metrics: Metrics, database: Database): Promise<void> {
  for (const { id: endpoint, n, oldest_seconds } of await countWaiting(database)) {
    metrics.set('pulsebus_webhook_messages_waiting', { endpoint }, n);
    metrics.set('pulsebus_webhook_oldest_message_seconds', { endpoint }, oldest_seconds);
  }
}

/** Stores since when endpoints fail, and disables those that fail for too long or are gone. */
interface EndpointHealth {
  /** Never throws: the next outcome has the same effect. */
  note(lease: Receiving, outcome: Outcome): Promise<void>;
}

type Receiving = Pick<MessageLease, 'endpoint_id' | 'url' | 'failing_since'>;

interface HealthDeps {
  readonly database: Database;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly pace: DeliveryPace;
}

const successEveryMs = 1000;

/** The health of endpoints, as this process observes it. */
export function newEndpointHealth({ database, logger, pace }: HealthDeps): EndpointHealth {
  const notedAtMs = new Map<string, number>();
  const succeed = async (endpoint: AddressedEndpoint) => {
    const { endpoint_id: endpointId } = endpoint;
    const nowMs = performance.now();
    if (nowMs - (notedAtMs.get(endpointId) ?? -Infinity) < successEveryMs) return;
    notedAtMs.set(endpointId, nowMs);
    await noteSuccess(database, endpoint);
  };
  const fail = async (endpoint: Receiving, { attempt, pauseMs }: Outcome) => {
    const { endpoint_id: id, failing_since } = endpoint;
    const aheadMs = pace.aheadMs();
    notedAtMs.delete(id);
    const nowMs = Date.now() + aheadMs;
    const restsMs = failing_since === null ? null : restMs(nowMs - failing_since.getTime());
    await noteFailure(database, endpoint, { aheadMs, pauseMs: longer(pauseMs, restsMs) });
    const reason = reasonOf(attempt?.status ?? null, failing_since, nowMs);
    if (reason !== null && (await disableEndpoint(database, endpoint, { reason, aheadMs })))
      logger.warn('webhook_endpoint.disabled', { endpoint_id: id, reason });
  };
  return {
    async note(lease, outcome) {
      try {
        if (outcome.state === 'delivered') await succeed(lease);
        else if (outcome.isFailure && !isOwnFailure(outcome.attempt)) await fail(lease, outcome);
      } catch (error) {
        logger.warn('webhook_endpoint.not_noted', { endpoint_id: lease.endpoint_id, code: codeOf(error) });
      }
    },
  };
}

function longer(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

function reasonOf(status: number | null, failingSince: Date | null, nowMs: number): HealthReason | null {
  if (status === 410) return 'gone';
  const isOld = failingSince !== null && failingSince.getTime() <= nowMs - failingDays * dayMs;
  return isOld ? 'failing' : null;
}
