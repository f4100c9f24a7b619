import { z } from 'zod';
import { action, auditOfDelivery, contract, Nothing } from '../domain/contract.ts';
import { Text, Timestamp, UserId, WebhookHealth } from '../domain/wire.ts';
import { AccessAnswer, AccessQuestion } from './access-check.ts';
import { Backfill } from './backfill.ts';
import { Figures } from './ingest-figures.ts';

/**
 * What an event is answered with: `processed` names the activity, the action and the user of ours; `skipped` says
 * why nothing follows from it. `accepted` says neither: the sender was not authenticated.
 */
export const EventAnswer = z
  .object({
    status: z.enum(['processed', 'skipped', 'accepted']),
    message: z.string(),
  })
  .meta({ id: 'EventAnswer' });

/** What an event is answered with where the answer must not say whether an account exists. */
export const acceptedEvent: z.infer<typeof EventAnswer> = {
  status: 'accepted',
  message: 'The event is accepted. Its outcome is returned on the secret webhook address only.',
};

const pending = (): z.infer<typeof EventAnswer> => ({
  status: 'processed',
  message: 'The event is stored and processed in the background.',
});

const path = '/webhooks/activitynet/webhook';
/** Events carry no data: the longest title of an activity fits many times. */
const eventLimitBytes = 16 * 1024;
const Asked = Text.max(1000);

const eventExample = {
  object_type: 'activity',
  object_id: 1_001_001,
  aspect_type: 'create',
  owner_id: 1001,
  subscription_id: 1,
  event_time: 1_767_225_600,
};

/** The activity platform: its events, which carry no data, and the fetching that follows from them. */
export const activitynetIngest = contract('activitynet-ingest', {
  verify: action({
    summary: 'Verify a webhook subscription of the activity platform',
    params: z.object({
      'hub.mode': z
        .literal('subscribe', 'must be subscribe')
        .meta({ description: 'Always `subscribe`.', example: 'subscribe' }),
      'hub.challenge': Asked.meta({
        description: 'A text that the response returns unchanged.',
        example: 'a-challenge',
      }),
      'hub.verify_token': Asked.meta({
        description: 'The value of ACTIVITYNET_VERIFY_TOKEN. Any other value returns 403.',
        example: 'the-verify-token',
      }),
    }),
    returns: z.object({ 'hub.challenge': z.string() }).meta({ id: 'SubscriptionChallenge' }),
    http: { method: 'GET', path, access: ['public'], tag: 'Webhooks', secretAddress: 'activitynet' },
    idempotent: true,
    timeoutMs: 1500,
  }),
  receive: action({
    summary: 'Receive an event of the activity platform',
    description:
      'Returns 200 once the event is stored. The activity is fetched afterwards, within the rate limits of the provider. The message of a `processed` event names the activity, the action and the user. Events of unknown accounts and malformed, forged or outdated events are `skipped`.',
    params: z.object({ delivery_id: z.uuid() }),
    returns: z.object({ done: z.boolean() }),
    http: {
      method: 'POST',
      path,
      access: ['webhook'],
      tag: 'Webhooks',
      secretAddress: 'activitynet',
      bodyLimitBytes: eventLimitBytes,
      delivery: {
        provider: 'activitynet',
        kind: 'event',
        example: eventExample,
        answer: EventAnswer,
        pending,
        anyBody: true,
      },
      audit: auditOfDelivery,
    },
    timeoutMs: 1300,
  }),
  health: action({
    summary: 'Check the webhook of the activity platform',
    params: Nothing,
    returns: WebhookHealth,
    http: {
      method: 'GET',
      path: '/webhooks/activitynet/health',
      access: ['public'],
      tag: 'Webhooks',
      unlimited: true,
    },
    idempotent: true,
  }),
  /** Pages through the list of activities and fetches each, as far as live events leave room. */
  startHistory: action({
    summary: "Fetch a connection's activities of a span of time",
    params: z.object({ user_id: UserId, start_ms: z.int(), end_ms: z.int() }),
    returns: Backfill,
  }),
  historyStatus: action({
    summary: 'How far the newest history run of a connection is',
    params: z.object({ user_id: UserId }),
    returns: Backfill,
    idempotent: true,
  }),
  cancelHistory: action({
    summary: 'Cancel the history run of a connection',
    params: z.object({ user_id: UserId }),
    returns: Backfill,
    idempotent: true,
  }),
  /** The connection ended: nothing of it is fetched any more. */
  stopConnection: action({
    summary: 'Drop what waits for a connection that ended',
    params: z.object({ connection_id: z.uuid() }),
    returns: z.object({ dropped: z.int() }),
    idempotent: true,
    on: ['connectionEnded'],
    provider: 'activitynet',
  }),
  /** The ending of a connection was contradicted: what was dropped since then is taken up again. */
  resumeConnection: action({
    summary: 'Resume what was dropped of a connection that is restored',
    params: z.object({ connection_id: z.uuid(), since: Timestamp }),
    returns: z.object({ resumed: z.int() }),
    idempotent: true,
    on: ['connectionRestored'],
    provider: 'activitynet',
  }),
  /** Asks the activity platform about one connection, within its limits for reads. */
  checkAccess: action({
    summary: 'Ask the provider whether our access to an account is good',
    params: AccessQuestion,
    returns: AccessAnswer,
    timeoutMs: 30_000,
  }),
  forgetUser: action({
    summary: 'Erase what is known of the activities of a user who is deleted',
    params: z.object({ user_id: UserId }),
    returns: z.object({ forgotten: z.int() }),
    idempotent: true,
    on: ['userErased', 'connectionPurged'],
    provider: 'activitynet',
  }),
  figures: action({
    summary: 'What waits to be fetched, and what the provider still allows',
    params: Nothing,
    returns: Figures,
    idempotent: true,
  }),
});

export type EventAnswer = z.infer<typeof EventAnswer>;
