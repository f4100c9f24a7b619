import { z } from 'zod';
import { action, auditOfDelivery, contract, Nothing } from '../domain/contract.ts';
import { Text, UserId, WebhookHealth } from '../domain/wire.ts';
import { Backfill } from './backfill.ts';
import { Figures } from './ingest-figures.ts';

/**
 * The answer to an event. The message of `processed` names the activity, the action and the user; that of `skipped` states
 * the reason.
 */
export const EventAnswer = z
  .object({
    status: z.enum(['processed', 'skipped']),
    message: z.string(),
  })
  .meta({ id: 'EventAnswer' });

const pending = (): z.infer<typeof EventAnswer> => ({
  status: 'processed',
  message: 'The event is stored and processed in the background.',
});

const path = '/webhooks/activitynet/webhook';
/** Events contain no data: a title of the maximum length fits many times. */
const eventLimitBytes = 16 * 1024;
const VerifyText = Text.max(1000);

const eventExample = {
  object_type: 'activity',
  object_id: 1_001_001,
  aspect_type: 'create',
  owner_id: 1001,
  subscription_id: 1,
  event_time: 1_767_225_600,
};

/** The activity platform: it receives events without data and fetches the activities that they name. */
export const activitynetIngest = contract('activitynet-ingest', {
  verify: action({
    summary: 'Verify a webhook subscription of Strava',
    params: z.object({
      'hub.mode': z
        .literal('subscribe', 'must be subscribe')
        .meta({ description: 'Always `subscribe`.', example: 'subscribe' }),
      'hub.challenge': VerifyText.meta({
        description: 'A text that the response returns unchanged.',
        example: 'a-challenge',
      }),
      'hub.verify_token': VerifyText.meta({
        description: 'The value of ACTIVITYNET_VERIFY_TOKEN. Any other value returns 403.',
        example: 'the-verify-token',
      }),
    }),
    returns: z.object({ 'hub.challenge': z.string() }).meta({ id: 'SubscriptionChallenge' }),
    http: { method: 'GET', path, access: 'public', tag: 'Webhooks', secretAddress: 'activitynet' },
    timeoutMs: 1500,
  }),
  receive: action({
    summary: 'Receive an event of Strava',
    description:
      'Returns 200 once the event is stored. The activity is fetched afterwards, within the rate limits of the provider. The message of a `processed` event names the activity, the action and the user. Events of unknown accounts and malformed, forged or outdated events are `skipped`.',
    params: z.object({ delivery_id: z.uuid() }),
    returns: z.object({ done: z.boolean() }),
    http: {
      method: 'POST',
      path,
      access: 'webhook',
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
    summary: 'Check the webhook of Strava',
    params: Nothing,
    returns: WebhookHealth,
    http: {
      method: 'GET',
      path: '/webhooks/activitynet/health',
      access: 'public',
      tag: 'Webhooks',
      unlimited: true,
    },
  }),
  /** Reads the list of activities page by page and fetches each, within the quota that live events leave. */
  startBackfill: action({
    summary: "Start a backfill of a connection's activities in a span of time",
    params: z.object({ user_id: UserId, start_ms: z.int(), end_ms: z.int() }),
    returns: Backfill,
  }),
  backfillStatus: action({
    summary: 'Get the newest backfill of a connection',
    params: z.object({ user_id: UserId }),
    returns: Backfill,
    idempotent: true,
  }),
  cancelBackfill: action({
    summary: 'Cancel the backfill of a connection',
    params: z.object({ user_id: UserId }),
    returns: Backfill,
    idempotent: true,
  }),
  /**
   * Compares the provider's list of activities since `start_ms` with what is stored: unknown activities are fetched, and
   * those that a read confirms to be deleted are deleted. It is no backfill: no event announces it. A call while a
   * reconciliation waits changes at most its start, which is returned.
   */
  reconcile: action({
    summary: "Compare a connection's activities with the provider's list",
    params: z.object({ user_id: UserId, start_ms: z.int() }),
    returns: z.object({ start_ms: z.int() }),
    idempotent: true,
  }),
  begin: action({
    summary: 'List the last activities of a connection that was imported',
    params: z.object({ user_id: UserId, provider: z.literal('activitynet') }),
    returns: z.object({ start_ms: z.int() }),
    idempotent: true,
    on: ['connectionImported'],
    providers: ['activitynet'],
  }),
  /** Nothing more is fetched for a connection that ended. */
  stopConnection: action({
    summary: 'Drop the waiting fetches of a connection that ended',
    params: z.object({ connection_id: z.uuid() }),
    returns: z.object({ dropped: z.int() }),
    idempotent: true,
    on: ['connectionEnded'],
    providers: ['activitynet'],
  }),
  forgetUser: action({
    summary: 'Erase the activity states of a deleted user',
    params: z.object({ user_id: UserId }),
    returns: z.object({ forgotten: z.int() }),
    idempotent: true,
    on: ['userErased', 'connectionPurged'],
    providers: ['activitynet'],
  }),
  figures: action({
    summary: 'Get queue lengths and the remaining read quota',
    params: Nothing,
    returns: Figures,
    idempotent: true,
  }),
});

export type EventAnswer = z.infer<typeof EventAnswer>;
