import { z } from 'zod';
import { action, auditOfDelivery, contract } from '../domain/contract.ts';
import { WebhookHealth } from '../domain/wire.ts';

/** What became of one activity of a push. */
export const ActivityResult = z
  .object({
    activity_id: z.string().nullable(),
    name: z.string().nullable(),
    type: z.string().nullable(),
    garmin_user_id: z.string().nullable(),
    internal_user_id: z.string().nullable(),
    record_ids: z.array(z.string()).nullable(),
    status: z
      .enum(['saved', 'duplicate', 'user_not_found', 'validation_error', 'accepted'])
      .describe('`accepted`: the outcome is returned on the secret address only.'),
  })
  .meta({ id: 'ActivityResult' });

const Placeholders = z
  .int()
  .describe(
    'Number of values in all items that mean "not measured" (stress -1, oxygen 0). They are not stored and are no errors.',
  );

/** Items that were handled, and those of them that were stored. */
const ItemCounts = z.object({ processed: z.int(), saved: z.int() }).meta({ id: 'ItemCounts' });

/** Changes of permissions that were applied, and a sentence for each that was not. */
const PermissionsChanges = z
  .object({ updated: z.int(), errors: z.array(z.string()) })
  .meta({ id: 'PermissionsChanges' });

/** Connections that were revoked, and a sentence for each deregistration that failed. */
const Deregistrations = z
  .object({ revoked: z.int(), errors: z.array(z.string()) })
  .meta({ id: 'Deregistrations' });

/** The answer to a push; `processed` and `saved` count activities only, `total` counts items of all data types. */
export const PushAnswer = z
  .object({
    processed: z.int().describe('Activities that were handled, whatever their status.'),
    saved: z.int().describe('Activities that were stored, as new or in place of an older version.'),
    total: ItemCounts.describe('The same counts over all data types, activities included.'),
    placeholders: Placeholders,
    errors: z.array(z.string()),
    activities: z.array(ActivityResult),
    wellness: z.record(z.string(), ItemCounts),
    backfill_chained: z.array(z.string()),
    userPermissionsChange: PermissionsChanges.optional(),
    deregistrations: Deregistrations.optional(),
  })
  .meta({ id: 'PushAnswer' });

/** What became of a notice of activities for one of our users; `queued` goes on behind, `errors` says of an `error`
 * whether it is tried again. */
export const PingActivityResult = z
  .object({
    garmin_user_id: z.string().nullable(),
    internal_user_id: z.string().nullable(),
    activities_count: z.int(),
    status: z
      .enum(['fetched', 'queued', 'error', 'user_not_found', 'accepted'])
      .describe('`accepted`: the outcome is returned on the secret address only.'),
  })
  .meta({ id: 'PingActivityResult' });

/** What the notices of one data type brought; `processed` counts notices, `fetched` and `saved` their items. */
export const PingWellness = z
  .object({
    processed: z.int(),
    saved: z.int(),
    errors: z.array(z.string()),
    items: z.array(
      z.object({
        garmin_user_id: z.string().nullable(),
        internal_user_id: z.string().nullable(),
        type: z.string(),
        fetched: z.int(),
        saved: z.int(),
      }),
    ),
    new_success_users: z.array(z.string()),
  })
  .meta({ id: 'PingWellness' });

/** The answer to a ping; `processed` counts items of `activities` only, `total` counts those of all data types. */
export const PingAnswer = z
  .object({
    processed: z
      .int()
      .describe('Items of `activities` that are finished: their data was fetched, or cannot be fetched.'),
    total: z
      .object({ processed: z.int(), fetched: z.int(), saved: z.int() })
      .describe(
        'Over all data types: `processed` counts items of this ping; `fetched` and `saved` count the records that their callbacks returned and those of them that were stored.',
      ),
    placeholders: Placeholders,
    errors: z.array(z.string()),
    activities: z.array(PingActivityResult),
    wellness: z.record(z.string(), PingWellness),
    backfill_chained: z.array(z.string()),
    userPermissionsChange: PermissionsChanges.optional(),
    deregistrations: Deregistrations.optional(),
  })
  .meta({ id: 'PingAnswer' });

/** What an ingest call says over the bus; the answer itself stands in the delivery's row, finished or so far. */
export const Worked = z.object({ done: z.boolean() });

/** What stands in `errors` while a stored delivery waits for its turn. */
export const pendingSentence = 'The delivery is stored and processed in the background.';

/** What stands in `errors` of an answer that must not say whether an account exists. */
export const reducedSentence = 'The outcome of the items is returned on the secret webhook address only.';

const pendingPing = (): z.infer<typeof PingAnswer> => ({
  processed: 0,
  total: { processed: 0, fetched: 0, saved: 0 },
  placeholders: 0,
  errors: [pendingSentence],
  activities: [],
  wellness: {},
  backfill_chained: [],
});

const pending = (): z.infer<typeof PushAnswer> => ({
  ...pendingPing(),
  saved: 0,
  total: { processed: 0, saved: 0 },
  activities: [],
  wellness: {},
});

const pushExample = {
  dailies: [
    {
      userId: 'account-1001',
      summaryId: 'example-daily',
      calendarDate: '2026-01-01',
      startTimeInSeconds: 1_767_225_600,
      startTimeOffsetInSeconds: 0,
      durationInSeconds: 3600,
      steps: 700,
      timeOffsetHeartRateSamples: { '0': 61, '15': 63, '3585': 70 },
    },
  ],
};
const pingExample = {
  dailies: [
    {
      userId: 'account-1002',
      callbackURL:
        'https://apis.garmin.com/wellness-api/rest/dailies?uploadStartTimeInSeconds=1767225600&uploadEndTimeInSeconds=1767229200&token=example',
    },
  ],
};

/** The device maker's notifications. */
export const devicemakerIngest = contract('devicemaker-ingest', {
  push: action({
    summary: 'Receive a push notification of the device maker',
    description:
      'The body is an object of arrays keyed by data type. Items are processed independently: an invalid item does not affect the others. On the plain address, once the client secret of the provider is set, the response does not reveal whether an account exists: the status is `accepted`, `internal_user_id` and `record_ids` are null, `processed`, `updated` and `revoked` count what was accepted, `saved` is 0.',
    params: z.object({ delivery_id: z.uuid() }),
    returns: Worked,
    http: {
      method: 'POST',
      path: '/webhooks/devicemaker/push',
      access: ['webhook'],
      tag: 'Webhooks',
      secretAddress: 'devicemaker',
      delivery: {
        provider: 'devicemaker',
        kind: 'push',
        example: pushExample,
        answer: PushAnswer,
        pending,
      },
      audit: auditOfDelivery,
    },
    timeoutMs: 20_000,
  }),
  ping: action({
    summary: 'Receive a ping notification of the device maker',
    description:
      "The body is an object of arrays keyed by data type. Each item names an account and a callbackURL, which is fetched if it belongs to the provider's API. Callbacks that are not fetched within 15 s are fetched in the background.",
    params: z.object({ delivery_id: z.uuid() }),
    returns: Worked,
    http: {
      method: 'POST',
      path: '/webhooks/devicemaker/ping',
      access: ['webhook'],
      tag: 'Webhooks',
      secretAddress: 'devicemaker',
      delivery: {
        provider: 'devicemaker',
        kind: 'ping',
        example: pingExample,
        answer: PingAnswer,
        pending: pendingPing,
      },
      audit: auditOfDelivery,
    },
    timeoutMs: 20_000,
  }),
  health: action({
    summary: 'Check the webhook of the device maker',
    params: z.object({}),
    returns: WebhookHealth,
    http: {
      method: 'GET',
      path: '/webhooks/devicemaker/health',
      access: ['public'],
      tag: 'Webhooks',
      unlimited: true,
    },
    idempotent: true,
  }),
});

export type ActivityResult = z.infer<typeof ActivityResult>;
export type PingActivityResult = z.infer<typeof PingActivityResult>;
export type PingAnswer = z.infer<typeof PingAnswer>;
export type PushAnswer = z.infer<typeof PushAnswer>;
