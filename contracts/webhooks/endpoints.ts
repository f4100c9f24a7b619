import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import {
  EndpointFields,
  EndpointId,
  EndpointOfKey,
  NewWebhookEndpoint,
  WebhookEndpoint,
  WebhookMessage,
} from './schemas.ts';

const tag = 'Changes';
const path = '/webhook-endpoints';
const ofEndpoint = z.object({ endpoint_id: EndpointId });

/** The endpoints of applications, and their secrets. */
export const endpointActions = {
  createEndpoint: action({
    summary: 'Create a webhook endpoint; only this response contains its secret',
    description:
      'Events that are published from now on are sent to `url` as POST requests, signed as Standard Webhooks 1.0 defines. There are at most 50 endpoints.',
    params: z.object(EndpointFields).meta({ id: 'CreateWebhookEndpointRequest' }),
    returns: NewWebhookEndpoint,
    http: {
      method: 'POST',
      path,
      access: 'webhooks.write',
      status: 201,
      tag,
      idempotencyKey: true,
      audit: 'webhook_endpoint.created',
    },
  }),
  listEndpoints: action({
    summary: 'List webhook endpoints, oldest first',
    params: Nothing,
    returns: z.array(WebhookEndpoint),
    http: { method: 'GET', path, access: 'webhooks.read', tag },
  }),
  getEndpoint: action({
    summary: 'Get one webhook endpoint',
    params: ofEndpoint,
    returns: WebhookEndpoint,
    http: { method: 'GET', path: `${path}/:endpoint_id`, access: 'webhooks.read', tag },
  }),
  updateEndpoint: action({
    summary: 'Update a webhook endpoint; omitted fields are unchanged',
    description:
      'A change of `event_types` applies to later events. `enabled: true` also ends an automatic disabling; `POST …/recover` then sends what was missed.',
    params: ofEndpoint
      .extend({ ...EndpointFields, url: EndpointFields.url.optional() })
      .meta({ id: 'UpdateWebhookEndpointRequest' }),
    returns: WebhookEndpoint,
    http: {
      method: 'PATCH',
      path: `${path}/:endpoint_id`,
      access: 'webhooks.write',
      tag,
      audit: 'webhook_endpoint.updated',
    },
  }),
  removeEndpoint: action({
    summary: 'Delete a webhook endpoint and its messages',
    params: ofEndpoint,
    returns: WebhookEndpoint,
    http: {
      method: 'DELETE',
      path: `${path}/:endpoint_id`,
      access: 'webhooks.write',
      tag,
      audit: 'webhook_endpoint.deleted',
    },
  }),
  /** For auth, which deleted the keys: the ids that one key had. */
  endKeys: action({
    summary: 'Disable the endpoints of deleted API keys once, unless they are kept, and return them',
    params: z.object({ key_ids: z.array(z.uuid()), keep_endpoints: z.boolean() }),
    returns: z.array(EndpointOfKey),
    idempotent: true,
  }),
  rotateSecret: action({
    summary: "Rotate a webhook endpoint's secret; only this response contains the new one",
    description: 'For 24 hours each request has two signatures, one with each secret.',
    params: ofEndpoint,
    returns: NewWebhookEndpoint,
    http: {
      method: 'POST',
      path: `${path}/:endpoint_id/rotate-secret`,
      access: 'webhooks.write',
      tag,
      bodyOptional: true,
      idempotencyKey: true,
      audit: 'webhook_endpoint.secret_rotated',
    },
  }),
  testEndpoint: action({
    summary: 'Send a test message to a webhook endpoint',
    description: 'Sends an event of the type `test.ping` at once, and returns it with its attempt.',
    params: ofEndpoint,
    returns: WebhookMessage,
    http: {
      method: 'POST',
      path: `${path}/:endpoint_id/test`,
      access: 'webhooks.write',
      tag,
      bodyOptional: true,
      audit: 'webhook_endpoint.tested',
    },
    timeoutMs: 20_000,
  }),
};
