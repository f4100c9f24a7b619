import { z } from 'zod';
import { Text, Timestamp } from '../../domain/wire.ts';
import { DisabledReason, EventType } from './events.ts';

/** The id of an endpoint in a path. */
export const EndpointId = z
  .uuid('must be a UUID')
  .transform((id) => id.toLowerCase())
  .describe('The `id` of a webhook endpoint, from `GET /webhook-endpoints`.');

/** The id of a message in a path. */
export const MessageId = z
  .uuid('must be a UUID')
  .transform((id) => id.toLowerCase())
  .describe('The `id` of a message, from the list of messages.');

const longestUrl = 2000;

/** The address of an endpoint, without credentials and fragment. Whether it may be reached is decided at each connection. */
const EndpointUrl = Text.max(longestUrl, `must be at most ${longestUrl} characters`)
  .refine((text) => !/[\s\p{Cc}]/u.test(text), 'must have no blanks or control characters')
  .pipe(z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }))
  .refine(isPlain, 'must have no user name, password or fragment');

function isPlain(text: string): boolean {
  if (!URL.canParse(text)) return true; // refused for that
  const { username, password } = new URL(text);
  return username === '' && password === '' && !text.includes('#');
}

/** The fields that an endpoint is created with or changed by. */
export const EndpointFields = {
  url: EndpointUrl.meta({
    description:
      'The address that receives the messages. It must be https and public unless its origin is in the setting WEBHOOK_ENDPOINT_ORIGINS.',
    example: 'https://app.example/webhooks/pulsebus',
  }),
  description: Text.trim()
    .max(255, 'must be at most 255 characters')
    .nullable()
    .optional()
    .meta({ description: 'A note of at most 255 characters.', example: 'Production' }),
  event_types: z
    .array(EventType)
    .min(1, 'must name at least one type')
    .max(100)
    .transform((types) => [...new Set(types)].sort())
    .nullable()
    .optional()
    .meta({
      description: 'The event types to send. Null or omitted: all types.',
      example: ['workout.created', 'workout.updated', 'workout.deleted'],
    }),
  include_data: z.boolean().optional().meta({
    description:
      'True adds the record itself to events of workouts, sleep and summaries, unless the body would exceed 20 kB. Default: false.',
    example: false,
  }),
  max_per_second: z
    .int()
    .min(1, 'must be at least 1')
    .max(10_000, 'must be at most 10000')
    .nullable()
    .optional()
    .meta({ description: 'Maximum number of requests per second. Null or omitted: no limit.', example: 50 }),
  enabled: z.boolean().optional().meta({
    description: 'False pauses the endpoint: events that occur meanwhile are not sent to it. Default: true.',
    example: true,
  }),
};

/** A webhook endpoint without its secret. `disabled_reason`: why it was disabled automatically. */
export const WebhookEndpoint = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string().nullable(),
    event_types: z.array(EventType).nullable(),
    include_data: z.boolean(),
    max_per_second: z.int().nullable(),
    enabled: z.boolean(),
    disabled_reason: DisabledReason.nullable(),
    api_key_id: z.string().nullable(),
    failing_since: Timestamp.nullable(),
    last_delivered_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    messages_waiting: z
      .int()
      .nonnegative()
      .describe(
        'The number of messages that wait for their first or next attempt. 10,000 means 10,000 or more.',
      ),
    oldest_waiting_message_seconds: z
      .int()
      .nonnegative()
      .nullable()
      .describe('The age of the event of the oldest waiting message. Null if none waits.'),
  })
  .meta({
    id: 'WebhookEndpoint',
    description:
      'A webhook endpoint without its secret. `disabled_reason` is null unless it was disabled automatically: `gone` (it returned 410), `failing` (no message was delivered for five days) or `key_deleted`. `api_key_id` is the API key that set `url`: null if a developer did, or before this was recorded. Its deletion disables the endpoint.',
  });

/** An endpoint whose address an API key set. */
export const EndpointOfKey = WebhookEndpoint.pick({ id: true, url: true, enabled: true }).meta({
  id: 'EndpointOfKey',
  description: 'A webhook endpoint whose address an API key set.',
});
export type EndpointOfKey = z.infer<typeof EndpointOfKey>;

/** An endpoint with its secret, which is returned by its creation and by a rotation only. */
export const NewWebhookEndpoint = WebhookEndpoint.extend({
  secret: z.string(),
  former_secret_until: Timestamp.nullable(),
}).meta({
  id: 'NewWebhookEndpoint',
  description:
    'A webhook endpoint with its secret, which no later response contains. After a rotation the former secret also signs until `former_secret_until`.',
});

/** One attempt to deliver a message. `status` is null if there was no answer; `error` is a code. */
export const WebhookAttempt = z
  .object({
    number: z.int(),
    at: Timestamp,
    status: z.int().nullable(),
    duration_ms: z.int(),
    error: z.string().nullable(),
    response: z.string().nullable(),
  })
  .meta({
    id: 'WebhookAttempt',
    description:
      'One attempt to deliver a message. `status` is null if there was no response, `error` is a code, `response` is the first kB of the response.',
  });

/** The state of a message. */
export const WebhookMessageStatus = z
  .enum(['waiting', 'delivered', 'failed', 'dropped'])
  .meta({ id: 'WebhookMessageStatus' });

/** An event for one endpoint. `id` is sent as `webhook-id`, in all attempts. */
export const WebhookMessage = z
  .object({
    id: z.string(),
    endpoint_id: z.string(),
    type: z.string(),
    user_id: z.string().nullable(),
    historical: z.boolean(),
    status: WebhookMessageStatus,
    created_at: Timestamp,
    next_attempt_at: Timestamp.nullable(),
    delivered_at: Timestamp.nullable(),
    attempts: z.array(WebhookAttempt),
  })
  .meta({
    id: 'WebhookMessage',
    description:
      'An event for one endpoint, with its attempts of the last 7 days, at most the newest 20. Each attempt sends `id` as `webhook-id`. `waiting`: it is sent now or again later; `delivered`: the endpoint returned 2xx; `failed`: it is not sent again by itself; `dropped`: it has nothing to report any more.',
  });

/** The number of messages that are sent again, so far unless `complete`. */
export const QueuedMessages = z.object({ queued: z.int(), complete: z.boolean() }).meta({
  id: 'QueuedMessages',
  description:
    'The number of messages that are sent again. If `complete` is false it is the number so far, and the others follow. The same request returns it again.',
});

/** The position of a page of a list that is read forward only. */
export const ForwardPagination = z
  .object({ next_cursor: z.string().nullable(), has_more: z.boolean() })
  .meta({ id: 'ForwardPagination', description: 'The position of a page in a list that is read forward.' });

export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;
export type NewWebhookEndpoint = z.infer<typeof NewWebhookEndpoint>;
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;
export type WebhookMessage = z.infer<typeof WebhookMessage>;
export type WebhookMessageStatus = z.infer<typeof WebhookMessageStatus>;
