import type { Config } from '../../config.ts';
import { acceptedEvent, type EventAnswer } from '../../contracts/activitynet-ingest.ts';
import type { Database } from '../../mixins/database/database.ts';
import type { Job, Outcome } from '../../mixins/inbox/inbox-job.ts';
import { arrivalOf, findLinkedUsers, type LinkedUser } from '../../mixins/inbox/linked-users.ts';
import type { Environment } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import { hidesAccounts } from '../../runtime/provider-settings.ts';
import { type AthleteEvent, isDeauthorization, workAthlete } from './athlete.ts';
import { countSkipped } from './queries/count-skipped.ts';
import { isAboveWaitingLimit, noteEvent } from './queries/note-event.ts';
import { type ProviderEvent, readEvent } from './read-event.ts';
import { isSigned, signatureProblem } from './signature.ts';

/** Dependencies of event processing. */
export interface EventDeps extends Environment {
  readonly database: Database;
}

/** Texts for the reasons why an event is skipped. */
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
 * Processes one event before its sender is answered: checks whether it is accepted, finds the linked users and creates
 * the jobs. Fetching happens later. If the answer must not reveal whether an account exists, it is sent first, so that
 * its timing reveals nothing either.
 */
export async function workEvent(job: Job, deps: EventDeps): Promise<Outcome> {
  const read = checkEvent(job, deps);
  if (!hidesResult(job, deps.config, read)) return work(job, deps, read);
  await job.answerEarly(acceptedEvent);
  const outcome = await work(job, deps, read);
  return 'answer' in outcome ? { ...outcome, answer: acceptedEvent } : outcome;
}

// Rejections of a malformed body or an invalid signature reveal nothing about an account.
function hidesResult(job: Job, config: Config, read: AcceptedEvent | Reason): boolean {
  if (typeof read === 'string')
    return read === 'SUBSCRIPTION_UNKNOWN' && hidesAccounts(config, provider, job.authenticated);
  return hidesAccounts(config, provider, read.authenticated);
}

async function work(job: Job, deps: EventDeps, read: AcceptedEvent | Reason): Promise<Outcome> {
  if (typeof read === 'string') return skip(job, deps, read);
  const { event, authenticated } = read;
  try {
    const arrival = { ...arrivalOf(job), authenticated };
    // A deauthorization does not concern a connection that has already ended.
    const found = await findLinkedUsers(deps.call, provider, [event.owner_id], arrival, {
      isKept: !isDeauthorization(event),
    });
    const linkedUsers = found.get(event.owner_id) ?? [];
    if (linkedUsers.length === 0) return await skip(job, deps, 'OWNER_UNKNOWN');
    const open = await usersBelowLimit(deps, read, linkedUsers);
    if (open.length === 0) return await skip(job, deps, 'OWNER_BUSY');
    const parts: string[] = [];
    const received = { event, authenticated, received_ms: job.received_ms };
    for (const linkedUser of open) parts.push(await workFor(deps, received, linkedUser));
    return { kind: 'done', answer: processed(event, parts), authenticated };
  } catch (error) {
    return { kind: 'later', reason: codeOf(error), answer: undefined };
  }
}

// An unauthenticated sender could fill the queue of a user with activities that do not exist.
async function usersBelowLimit(
  { database }: EventDeps,
  { event, authenticated }: AcceptedEvent,
  linkedUsers: readonly LinkedUser[],
): Promise<readonly LinkedUser[]> {
  if (authenticated || event.object_type !== 'activity' || event.aspect_type === 'delete') return linkedUsers;
  const busy = await Promise.all(
    linkedUsers.map(({ user_id }) => isAboveWaitingLimit(database, user_id, event.object_id)),
  );
  return linkedUsers.filter((_, index) => busy[index] === false);
}

/** An accepted event, and whether its sender is authenticated. */
interface AcceptedEvent {
  readonly event: ProviderEvent;
  readonly authenticated: boolean;
}

function checkEvent(job: Job, { config }: EventDeps): AcceptedEvent | Reason {
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

/** Tolerance for a provider clock that is ahead of ours. */
const mostAheadMs = 5 * 60_000;

// A future time of an unauthenticated event would supersede real events of the next minutes.
function notAhead(event: ProviderEvent, { received_ms }: Job): ProviderEvent {
  return { ...event, event_time: Math.min(event.event_time, Math.floor(received_ms / 1000)) };
}

async function skip(job: Job, { database, logger }: EventDeps, reason: Reason): Promise<Outcome> {
  logger.info('event.skipped', { delivery_id: job.id, reason });
  await countSkipped(database, reason);
  const answer: EventAnswer = { status: 'skipped', message: sentences[reason] };
  return { kind: 'done', answer };
}

async function workFor(deps: EventDeps, received: AthleteEvent, linkedUser: LinkedUser): Promise<string> {
  const { event, authenticated } = received;
  const { user_id, connection_id } = linkedUser;
  const whose = `user ${user_id}`;
  if (event.object_type === 'athlete')
    return `${whose}: ${await workAthlete(deps.call, received, linkedUser)}`;
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
