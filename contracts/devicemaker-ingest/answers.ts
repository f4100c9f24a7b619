import { z } from 'zod';

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

/** The answer to a ping that is stored and not processed yet. */
export const pendingPing = (): z.infer<typeof PingAnswer> => ({
  processed: 0,
  total: { processed: 0, fetched: 0, saved: 0 },
  placeholders: 0,
  errors: [pendingSentence],
  activities: [],
  wellness: {},
  backfill_chained: [],
});

/** The answer to a push that is stored and not processed yet. */
export const pendingPush = (): z.infer<typeof PushAnswer> => ({
  ...pendingPing(),
  saved: 0,
  total: { processed: 0, saved: 0 },
  activities: [],
  wellness: {},
});

export type ActivityResult = z.infer<typeof ActivityResult>;
export type PingActivityResult = z.infer<typeof PingActivityResult>;
export type PingAnswer = z.infer<typeof PingAnswer>;
export type PushAnswer = z.infer<typeof PushAnswer>;
