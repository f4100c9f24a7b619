import type { Database } from '../../../mixins/database/database.ts';
import type { RowJobs } from '../../../mixins/jobs/row-jobs.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import type { Poster } from '../../../runtime/http/guarded-post.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import { metricsOf } from '../../../runtime/telemetry/metrics.ts';
import { type EndpointHealth, newEndpointHealth } from '../endpoints/endpoint-health.ts';
import { claimMessages, extendMessage, isMessageDue, type MessageLease } from '../queries/claim-messages.ts';
import { type Attempt, sendOnce, unsent } from './attempt.ts';
import type { BodyOf } from './message-body.ts';
import { crashed, dropped, handedBack, type Outcome, outcomeOf } from './outcome.ts';
import { type DeliveryPace, mostCrashes } from './pace.ts';
import { newSettler, type Settler } from './settler.ts';
import { newSlots } from './slots.ts';

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
 * The number of messages in progress is limited per endpoint only. A limit of the process would be used up by endpoints
 * that do not answer. There are at most 50 endpoints.
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
  if (body === null) return { ...outcomeOf(lease, unsent('DATA_UNAVAILABLE'), deps.pace) };
  // Reading the record takes time in which the user may have been erased.
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
  if (state === 'delivered')
    metrics.count('pulsebus_webhook_attempts_total', { endpoint, outcome: 'delivered' });
  if (state === 'delivered' && !is_repeated)
    metrics.observe(
      'pulsebus_webhook_received_seconds',
      { endpoint },
      (Date.now() - recorded_at.getTime()) / 1000,
    );
  if (!isFailure) return;
  metrics.count('pulsebus_webhook_attempts_total', { endpoint, outcome: 'failed' });
  const { status, error } = attempt ?? unsent('UNKNOWN');
  logger.warn('webhook.failed', { endpoint_id: endpoint, message_id: lease.id, status, code: error });
}
