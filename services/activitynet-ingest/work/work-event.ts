import type { EventAnswer } from '../../../contracts/activitynet-ingest.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Job, Outcome } from '../../../mixins/inbox/inbox-job.ts';
import { arrivalOf, findLinkedUsers, type LinkedUser } from '../../../mixins/inbox/linked-users.ts';
import type { Call, Environment } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { type ProviderEvent, readEvent } from '../rules/events.ts';
import { signatureProblem } from '../rules/signature.ts';
import { noteEvent } from '../tables/activities.ts';
import { countSkipped } from '../tables/figures.ts';

/** Dependencies of event processing. */
interface EventDeps extends Environment {
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
} as const;

type Reason = keyof typeof sentences;
const provider = 'activitynet';

/**
 * Processes one event before its sender is answered: checks whether it is accepted, finds the linked users and creates
 * the jobs. Fetching happens later.
 */
export async function workEvent(job: Job, deps: EventDeps): Promise<Outcome> {
  const event = checkEvent(job, deps);
  if (typeof event === 'string') return skip(job, deps, event);
  try {
    const linked = await findLinkedUsers(deps.call, provider, [event.owner_id], arrivalOf(job));
    const linkedUsers = linked.get(event.owner_id) ?? [];
    if (linkedUsers.length === 0) return await skip(job, deps, 'OWNER_UNKNOWN');
    const parts: string[] = [];
    for (const linkedUser of linkedUsers) parts.push(await workFor(deps, event, linkedUser));
    return { kind: 'done', answer: processed(event, parts) };
  } catch (error) {
    return { kind: 'later', reason: codeOf(error), answer: undefined };
  }
}

function checkEvent(job: Job, { config }: EventDeps): ProviderEvent | Reason {
  const problem = signatureProblem({
    header: job.headers['x-strava-signature'],
    body: job.body,
    receivedMs: job.received_ms,
    secret: config.ACTIVITYNET_CLIENT_SECRET,
    required: config.ACTIVITYNET_REQUIRE_SIGNATURE,
  });
  if (problem !== null) return problem;
  const event = readEvent(job.body);
  if (event === null) return 'MALFORMED';
  const subscription = config.ACTIVITYNET_SUBSCRIPTION_ID;
  const isOurs = subscription === undefined || event.subscription_id === String(subscription);
  if (!isOurs) return 'SUBSCRIPTION_UNKNOWN';
  return event.event_time * 1000 > job.received_ms + mostAheadMs ? 'EVENT_TIME_AHEAD' : event;
}

/** Tolerance for a provider clock that is ahead of ours. */
const mostAheadMs = 5 * 60_000;

async function skip(job: Job, { database, logger }: EventDeps, reason: Reason): Promise<Outcome> {
  logger.info('event.skipped', { delivery_id: job.id, reason });
  await countSkipped(database, reason);
  const answer: EventAnswer = { status: 'skipped', message: sentences[reason] };
  return { kind: 'done', answer };
}

async function workFor(deps: EventDeps, event: ProviderEvent, linkedUser: LinkedUser): Promise<string> {
  const { user_id, connection_id } = linkedUser;
  const whose = `user ${user_id}`;
  if (event.object_type === 'athlete') return `${whose}: ${await workAthlete(deps.call, event, linkedUser)}`;
  const { object_id, aspect_type, event_time } = event;
  const isNews = await noteEvent(deps.database, {
    user_id,
    connection_id,
    object_id,
    aspect_type,
    event_time,
  });
  const next = aspect_type === 'delete' ? 'it is deleted' : 'it is fetched';
  return `${whose}: ${isNews ? `${next} in the background` : 'it is known already'}`;
}

function processed(event: ProviderEvent, parts: readonly string[]): EventAnswer {
  const { object_type, object_id, aspect_type } = event;
  const what = object_type === 'activity' ? `Activity ${object_id}` : `Athlete ${object_id}`;
  return { status: 'processed', message: `${what}, ${aspect_type}, ${parts.join('; ')}.` };
}

/** Whether the account holder withdraws the access that they granted. */
function isDeauthorization({ object_type, aspect_type, updates }: ProviderEvent): boolean {
  return object_type === 'athlete' && (aspect_type === 'delete' || updates.authorized === 'false');
}

/**
 * Applies an event of an account to one linked user and returns a sentence that describes the result. An event from
 * before the account was linked is ignored. An older change of privacy never overwrites a newer one.
 */
async function workAthlete(call: Call, event: ProviderEvent, linkedUser: LinkedUser): Promise<string> {
  if (event.event_time < Math.floor(linkedUser.connectedMs / 1000)) return 'it is from before the connection';
  const { connection_id, user_id } = linkedUser;
  if (isDeauthorization(event)) {
    const { revoked } = await call('users.endByEvent', { connection_id, user_id });
    return revoked ? 'the connection is revoked' : 'the connection has ended before';
  }
  const { authorized: _, ...privacy } = event.updates;
  if (Object.keys(privacy).length === 0) return 'nothing follows from it';
  await call('users.changePrivacy', { connection_id, privacy, changed_ms: event.event_time * 1000 });
  return 'the privacy settings are kept';
}
