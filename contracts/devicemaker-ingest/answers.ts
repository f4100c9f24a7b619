import { z } from 'zod';

/** The outcome of one activity of a push. */
export const ActivityResult = z
  .object({
    activity_id: z.string().nullable(),
    name: z.string().nullable(),
    type: z.string().nullable(),
    garmin_user_id: z.string().nullable(),
    internal_user_id: z.string().nullable(),
    record_ids: z.array(z.string()).nullable(),
    status: z.enum(['saved', 'duplicate', 'user_not_found', 'validation_error']),
  })
  .meta({ id: 'ActivityResult' });

const Placeholders = z
  .int()
  .describe(
    'Number of values in all items that mean "not measured" (stress -1, oxygen 0). They are not stored and are no errors.',
  );

/** The number of processed items, and of those that were stored. */
const ItemCounts = z.object({ processed: z.int(), saved: z.int() }).meta({ id: 'ItemCounts' });

/** The number of applied changes of permissions, and a sentence for each that failed. */
const PermissionsChanges = z
  .object({ updated: z.int(), errors: z.array(z.string()) })
  .meta({ id: 'PermissionsChanges' });

/** The number of revoked connections, and a sentence for each deregistration that failed. */
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

/**
 * The outcome of a ping item of activities. `queued`: it is fetched in the background. For an `error`, the list `errors`
 * states whether it is retried.
 */
export const PingActivityResult = z
  .object({
    garmin_user_id: z.string().nullable(),
    internal_user_id: z.string().nullable(),
    activities_count: z.int(),
    status: z.enum(['fetched', 'queued', 'error', 'user_not_found']),
  })
  .meta({ id: 'PingActivityResult' });

/** The outcome of the ping items of one data type. `processed` counts them; `fetched` and `saved` count their records. */
const PingWellness = z
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

/** The answer of an ingest call over the bus. The HTTP answer, complete or partial, is in the row of the delivery. */
export const Worked = z.object({ done: z.boolean() });

/** The entry of `errors` while a stored delivery waits to be processed. */
export const pendingSentence = 'The delivery is stored and processed in the background.';

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
