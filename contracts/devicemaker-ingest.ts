import { z } from 'zod';
import { action, contract } from '../domain/contract.ts';

/** The header that a notification must carry, under either name. */
export const clientIdHeaders = ['devicemaker-client-id', 'garmin-client-id'] as const;

/** What became of one activity of a push. */
export const ActivityResult = z.object({
  activity_id: z.string().nullable(),
  name: z.string().nullable(),
  type: z.string().nullable(),
  garmin_user_id: z.string().nullable(),
  internal_user_id: z.string().nullable(),
  record_ids: z.array(z.string()),
  status: z.enum(['saved', 'duplicate', 'user_not_found', 'validation_error']),
});

/** The answer to a push; the top-level counts speak of activities only, `saved` counts new and replaced. */
export const PushAnswer = z.object({
  processed: z.int(),
  saved: z.int(),
  errors: z.array(z.string()),
  activities: z.array(ActivityResult),
  wellness: z.record(z.string(), z.object({ processed: z.int(), saved: z.int() })),
  backfill_chained: z.array(z.string()),
  userPermissionsChange: z.object({ updated: z.int(), errors: z.array(z.string()) }).optional(),
  deregistrations: z.object({ revoked: z.int(), errors: z.array(z.string()) }).optional(),
});

/** What an ingest call says over the bus; the answer itself stands in the delivery's row, finished or so far. */
export const Worked = z.object({ done: z.boolean() });

/** What stands in `errors` while a stored delivery waits for its turn. */
export const pendingSentence = 'The delivery is stored; its processing goes on in the background.';

const pending = (): z.infer<typeof PushAnswer> => ({
  processed: 0,
  saved: 0,
  errors: [pendingSentence],
  activities: [],
  wellness: {},
  backfill_chained: [],
});

/** The device maker's notifications. */
export const devicemakerIngest = contract('devicemaker-ingest', {
  push: action({
    summary: 'Receive data of the device maker',
    description:
      'An object of arrays keyed by data type. Items stand alone: a bad one never stops the others.',
    params: z.object({ delivery_id: z.uuid() }),
    returns: Worked,
    http: {
      method: 'POST',
      path: '/webhooks/devicemaker/push',
      access: ['webhook'],
      tag: 'Webhooks',
      delivery: { provider: 'devicemaker', kind: 'push', clientIdHeaders, answer: PushAnswer, pending },
    },
    timeoutMs: 20_000,
  }),
  health: action({
    summary: 'Whether the webhook of the device maker is there',
    params: z.object({}),
    returns: z.object({ status: z.literal('ok'), service: z.string() }),
    http: { method: 'GET', path: '/webhooks/devicemaker/health', access: ['public'], tag: 'Webhooks' },
    idempotent: true,
  }),
});

export type ActivityResult = z.infer<typeof ActivityResult>;
export type PushAnswer = z.infer<typeof PushAnswer>;
