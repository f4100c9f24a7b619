import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { CursorParameter, limitUpTo } from '../../domain/page.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { UserId } from '../../domain/wire.ts';
import {
  EndpointId,
  ForwardPagination,
  MessageId,
  QueuedMessages,
  WebhookMessage,
  WebhookMessageStatus,
} from './schemas.ts';

const tag = 'Changes';
const path = '/webhook-endpoints/:endpoint_id';
const since = TimeParameter.meta({
  description:
    'Messages of events since this time: ISO 8601 with or without a zone (UTC), a date (YYYY-MM-DD), or a Unix timestamp.',
  example: '2026-01-01',
});

const sinceRequest = z.object({ endpoint_id: EndpointId, since }).meta({ id: 'SendAgainRequest' });

/** The messages of an endpoint. */
export const messageActions = {
  messages: action({
    summary: 'List the messages of a webhook endpoint, newest first',
    params: z.object({
      endpoint_id: EndpointId,
      status: WebhookMessageStatus.optional().describe('Only messages in this state.'),
      user_id: UserId.optional().describe('Only messages about this user.'),
      cursor: CursorParameter,
      limit: limitUpTo(100),
    }),
    returns: z
      .object({ data: z.array(WebhookMessage), pagination: ForwardPagination })
      .meta({ id: 'WebhookMessagePage' }),
    http: { method: 'GET', path: `${path}/messages`, access: 'webhooks.read', tag },
  }),
  message: action({
    summary: 'Get one message, of any webhook endpoint',
    params: z.object({ message_id: MessageId }),
    returns: WebhookMessage,
    idempotent: true,
  }),
  resendMessage: action({
    summary: 'Send one message again',
    description: 'The message is sent at once, with the same `webhook-id`.',
    params: z.object({ endpoint_id: EndpointId, message_id: MessageId }),
    returns: WebhookMessage,
    http: {
      method: 'POST',
      path: `${path}/messages/:message_id/resend`,
      access: 'webhooks.write',
      status: 202,
      tag,
      bodyOptional: true,
      idempotencyKey: true,
      audit: 'webhook_endpoint.message_resent',
    },
  }),
  recoverMessages: action({
    summary: 'Send all messages again that were not delivered since a time',
    description:
      'Includes events that occurred while the endpoint was disabled, as long as the change log has them. Ends a pause that a Retry-After caused.',
    params: sinceRequest,
    returns: QueuedMessages,
    http: {
      method: 'POST',
      path: `${path}/recover`,
      access: 'webhooks.write',
      status: 202,
      tag,
      idempotencyKey: true,
      audit: 'webhook_endpoint.recovered',
    },
    timeoutMs: 30_000,
  }),
  replayMessages: action({
    summary: 'Send all messages again since a time, delivered ones too',
    description:
      'Each event is sent with the `webhook-id` that it had. Events that occurred while the endpoint was disabled are sent as well.',
    params: sinceRequest,
    returns: QueuedMessages,
    http: {
      method: 'POST',
      path: `${path}/replay`,
      access: 'webhooks.write',
      status: 202,
      tag,
      idempotencyKey: true,
      audit: 'webhook_endpoint.replayed',
    },
    timeoutMs: 30_000,
  }),
};
