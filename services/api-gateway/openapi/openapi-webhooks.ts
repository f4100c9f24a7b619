import { eventBody, events, ping } from '../../../contracts/webhooks/events.ts';
import type { Components } from './components.ts';
import type { Json } from './json-schema.ts';

/** The requests that webhook endpoints receive, one for each event type. */
export function webhooksOf(components: Components): Json {
  const all = [...Object.entries(events), ['test.ping', ping] as const];
  return Object.fromEntries(
    all.map(([type, definition]) => [
      type,
      { post: operation(type, definition.summary, components.schema(eventBody(type, definition), 'output')) },
    ]),
  );
}

function operation(type: string, summary: string, schema: Json): Json {
  return {
    operationId: `event.${type}`,
    summary,
    tags: ['Changes'],
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses,
  };
}

const header = (name: string, description: string): Json => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string' },
});

const parameters = [
  header('webhook-id', 'The id of the message. It is the same in all attempts.'),
  header('webhook-timestamp', 'The time of the attempt, in Unix seconds.'),
  header(
    'webhook-signature',
    'Signatures as Standard Webhooks 1.0 defines, separated by spaces: `v1,` and the base64 of the HMAC-SHA256 of `webhook-id.webhook-timestamp.body`. During a rotation there is one for each secret.',
  ),
];

const responses = {
  '2XX': { description: 'The message is delivered. The response must arrive within 15 seconds.' },
  '410': { description: 'The endpoint is disabled.' },
  default: {
    description: 'The message is sent again later. `Retry-After` is obeyed. Redirects are not followed.',
  },
};
