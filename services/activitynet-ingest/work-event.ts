import type { Config } from '../../config.ts';
import { acceptedEvent, type EventAnswer } from '../../contracts/activitynet-ingest.ts';
import type { Database } from '../../mixins/database.ts';
import type { Environment } from '../../mixins/environment.ts';
import { codeOf } from '../../mixins/failure.ts';
import type { Job, Outcome } from '../../mixins/inbox-worker.ts';
import { hidesAccounts } from '../../mixins/webhook-settings.ts';
import { type AthleteEvent, isDeauthorization, workAthlete } from './athlete.ts';
import { findOwners, type Owner } from './owners.ts';
import { countSkipped } from './queries/count-skipped.ts';
import { noteEvent } from './queries/note-event.ts';
import { type ProviderEvent, readEvent } from './read-event.ts';
import { isSigned, signatureProblem } from './signature.ts';

/** What the work on an event takes. */
export interface EventShop extends Environment {
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
  OWNER_UNKNOWN: 'No user is connected to this account.',
} as const;

type Reason = keyof typeof sentences;
const provider = 'activitynet';

/**
 * The work on one event before its sender is answered: is it to be believed, whom does it concern, and what is to be
 * fetched. The fetching comes later. Where the answer must not say whether an account exists, it is given first, so
 * that its time does not say so either.
 */
export async function workEvent(job: Job, shop: EventShop): Promise<Outcome> {
  const read = believable(job, shop);
  if (!hidesResult(shop.config, read)) return work(job, shop, read);
  await job.answerEarly(acceptedEvent);
  const outcome = await work(job, shop, read);
  return 'answer' in outcome ? { ...outcome, answer: acceptedEvent } : outcome;
}

// That a body is no event, or its signature not valid, says nothing of an account.
function hidesResult(config: Config, read: BelievableEvent | Reason): boolean {
  if (typeof read === 'string')
    return read === 'SUBSCRIPTION_UNKNOWN' && hidesAccounts(config, provider, false);
  return hidesAccounts(config, provider, read.authenticated);
}

async function work(job: Job, shop: EventShop, read: BelievableEvent | Reason): Promise<Outcome> {
  if (typeof read === 'string') return skip(job, shop, read);
  const { event, authenticated } = read;
  try {
    const owners = await findOwners(shop.call, event.owner_id, job.again ? job.received_ms : null, {
      // An ending says nothing new of a connection that is ended.
      ...(isDeauthorization(event) ? {} : { delivery: { id: job.id, authenticated } }),
    });
    if (owners.length === 0) return await skip(job, shop, 'OWNER_UNKNOWN');
    const parts: string[] = [];
    const received = { event, authenticated, received_ms: job.received_ms };
    for (const owner of owners) parts.push(await workFor(shop, received, owner));
    return { kind: 'done', answer: processed(event, parts), authenticated };
  } catch (error) {
    return { kind: 'later', reason: codeOf(error), answer: undefined };
  }
}

/** An event, and whether its sender proved to be the provider. */
interface BelievableEvent {
  readonly event: ProviderEvent;
  readonly authenticated: boolean;
}

function believable(job: Job, { config }: EventShop): BelievableEvent | Reason {
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
  return { event, authenticated: job.authenticated || isSigned(check) };
}

async function skip(job: Job, { database, logger }: EventShop, reason: Reason): Promise<Outcome> {
  logger.info('event.skipped', { delivery_id: job.id, reason });
  await countSkipped(database, reason);
  const answer: EventAnswer = { status: 'skipped', message: sentences[reason] };
  return { kind: 'done', answer };
}

async function workFor(shop: EventShop, received: AthleteEvent, owner: Owner): Promise<string> {
  const { event } = received;
  const { user_id, connection_id } = owner;
  const whose = `user ${user_id}`;
  if (event.object_type === 'athlete') return `${whose}: ${await workAthlete(shop.call, received, owner)}`;
  const { object_id, aspect_type, event_time } = event;
  const isNews = await noteEvent(shop.database, {
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
