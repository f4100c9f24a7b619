import type { Config } from '../../config.ts';
import { acceptedEvent, type EventAnswer } from '../../contracts/activitynet-ingest.ts';
import type { Database } from '../../mixins/database.ts';
import type { Job, Outcome } from '../../mixins/inbox-worker.ts';
import type { Environment } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import { hidesAccounts } from '../../runtime/provider-settings.ts';
import { type AthleteEvent, isDeauthorization, workAthlete } from './athlete.ts';
import { findOwners, type Owner } from './owners.ts';
import { countSkipped } from './queries/count-skipped.ts';
import { isOwnerBusy, noteEvent } from './queries/note-event.ts';
import { type ProviderEvent, readEvent } from './read-event.ts';
import { isSigned, signatureProblem } from './signature.ts';

/** What the work on an event takes. */
export interface EventDeps extends Environment {
  readonly database: Database;
}

/** Why an event is skipped, in words. */
const sentences = {
  MALFORMED: 'The body is no event.',
  SIGNATURE_MISSING: 'The signature is missing.',
  SIGNATURE_UNCHECKED: 'The signature cannot be checked: no secret is set.',
  SIGNATURE_INVALID: 'The signature is not valid.',
  SIGNATURE_STALE: 'The signature is too old.',
  SUBSCRIPTION_UNKNOWN: 'The event is of another subscription.',
  EVENT_TIME_AHEAD: 'The event is more than five minutes ahead of our clock.',
  OWNER_UNKNOWN: 'No user is connected to this account.',
  OWNER_BUSY: 'Too many activities of this account wait.',
} as const;

type Reason = keyof typeof sentences;
const provider = 'activitynet';

/**
 * The work on one event before its sender is answered: is it to be believed, whom does it concern, and what is to be
 * fetched. The fetching comes later. Where the answer must not say whether an account exists, it is given first, so
 * that its time does not say so either.
 */
export async function workEvent(job: Job, deps: EventDeps): Promise<Outcome> {
  const read = believable(job, deps);
  if (!hidesResult(deps.config, read)) return work(job, deps, read);
  await job.answerEarly(acceptedEvent);
  const outcome = await work(job, deps, read);
  return 'answer' in outcome ? { ...outcome, answer: acceptedEvent } : outcome;
}

// That a body is no event, or its signature not valid, says nothing of an account.
function hidesResult(config: Config, read: BelievableEvent | Reason): boolean {
  if (typeof read === 'string')
    return read === 'SUBSCRIPTION_UNKNOWN' && hidesAccounts(config, provider, false);
  return hidesAccounts(config, provider, read.authenticated);
}

async function work(job: Job, deps: EventDeps, read: BelievableEvent | Reason): Promise<Outcome> {
  if (typeof read === 'string') return skip(job, deps, read);
  const { event, authenticated } = read;
  try {
    const owners = await findOwners(deps.call, event.owner_id, job.again ? job.received_ms : null, {
      // An ending says nothing new of a connection that is ended.
      delivery: { id: job.id, authenticated, hold: !isDeauthorization(event) },
    });
    if (owners.length === 0) return await skip(job, deps, 'OWNER_UNKNOWN');
    const open = await ownersWithRoom(deps, read, owners);
    if (open.length === 0) return await skip(job, deps, 'OWNER_BUSY');
    const parts: string[] = [];
    const received = { event, authenticated, received_ms: job.received_ms };
    for (const owner of open) parts.push(await workFor(deps, received, owner));
    return { kind: 'done', answer: processed(event, parts), authenticated };
  } catch (error) {
    return { kind: 'later', reason: codeOf(error), answer: undefined };
  }
}

// Whoever may send events without being the provider could fill the queue of an owner with activities that are not there.
async function ownersWithRoom(
  { database }: EventDeps,
  { event, authenticated }: BelievableEvent,
  owners: readonly Owner[],
): Promise<readonly Owner[]> {
  if (authenticated || event.object_type !== 'activity' || event.aspect_type === 'delete') return owners;
  const busy = await Promise.all(
    owners.map(({ user_id }) => isOwnerBusy(database, user_id, event.object_id)),
  );
  return owners.filter((_, index) => busy[index] === false);
}

/** An event, and whether its sender proved to be the provider. */
interface BelievableEvent {
  readonly event: ProviderEvent;
  readonly authenticated: boolean;
}

function believable(job: Job, { config }: EventDeps): BelievableEvent | Reason {
  const check = {
    header: job.headers['x-strava-signature'],
    body: job.body,
    receivedMs: job.received_ms,
    secret: config.ACTIVITYNET_CLIENT_SECRET,
    required: config.ACTIVITYNET_REQUIRE_SIGNATURE,
  };
  const problem = signatureProblem(check);
  if (problem !== null) return problem;
  const event = readEvent(job.body);
  if (event === null) return 'MALFORMED';
  const subscription = config.ACTIVITYNET_SUBSCRIPTION_ID;
  const isOurs = subscription === undefined || event.subscription_id === String(subscription);
  if (!isOurs) return 'SUBSCRIPTION_UNKNOWN';
  if (event.event_time * 1000 > job.received_ms + mostAheadMs) return 'EVENT_TIME_AHEAD';
  const authenticated = job.authenticated || isSigned(check);
  return { event: authenticated ? event : notAhead(event, job), authenticated };
}

/** How far the provider's clock may be ahead of ours. */
const mostAheadMs = 5 * 60_000;

// A stranger's time would outdate what really happens in the next minutes.
function notAhead(event: ProviderEvent, { received_ms }: Job): ProviderEvent {
  return { ...event, event_time: Math.min(event.event_time, Math.floor(received_ms / 1000)) };
}

async function skip(job: Job, { database, logger }: EventDeps, reason: Reason): Promise<Outcome> {
  logger.info('event.skipped', { delivery_id: job.id, reason });
  await countSkipped(database, reason);
  const answer: EventAnswer = { status: 'skipped', message: sentences[reason] };
  return { kind: 'done', answer };
}

async function workFor(deps: EventDeps, received: AthleteEvent, owner: Owner): Promise<string> {
  const { event, authenticated } = received;
  const { user_id, connection_id } = owner;
  const whose = `user ${user_id}`;
  if (event.object_type === 'athlete') return `${whose}: ${await workAthlete(deps.call, received, owner)}`;
  const { object_id, aspect_type, event_time } = event;
  const isNews = await noteEvent(deps.database, {
    user_id,
    connection_id,
    object_id,
    aspect_type,
    event_time,
    authenticated,
  });
  const next = aspect_type === 'delete' ? 'it is deleted' : 'it is fetched';
  return `${whose}: ${isNews ? `${next} in the background` : 'it is known already'}`;
}

function processed(event: ProviderEvent, parts: readonly string[]): EventAnswer {
  const { object_type, object_id, aspect_type } = event;
  const what = object_type === 'activity' ? `Activity ${object_id}` : `Athlete ${object_id}`;
  return { status: 'processed', message: `${what}, ${aspect_type}, ${parts.join('; ')}.` };
}
