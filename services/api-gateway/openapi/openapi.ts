import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type ActionDefinition, apiPrefix, credentialsOf, type HttpRoute } from '../../../domain/contract.ts';
import { type ErrorCode, errorTable } from '../../../domain/errors.ts';
import { type Endpoint, endpoints } from '../endpoints.ts';
import { Components, headerRefs } from './components.ts';
import { type Json, jsonSchema, propertiesOf } from './json-schema.ts';
import { clientIdHeader, requestOf } from './openapi-request.ts';
import { introduction, sections } from './openapi-text.ts';
import { webhooksOf } from './openapi-webhooks.ts';

/** The OpenAPI 3.1 document of all routes. It is a deterministic function of the contracts. */
export function openapiDocument(): Json {
  const components = new Components();
  const paths = pathsOf(components);
  const webhooks = webhooksOf(components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pulsebus',
      version,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: apiPrefix }],
    tags: Object.entries(sections).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: components.all(),
  };
}

const packageFile = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');

/** The version of the product. */
export const { version } = z.object({ version: z.string() }).parse(JSON.parse(packageFile));

function pathsOf(components: Components): Json {
  const result: Record<string, Json> = {};
  for (const endpoint of endpoints.toSorted(byNeed).flatMap(withSecretAddress)) {
    const path = endpoint.route.path.replace(/:([a-z_]+)/g, '{$1}');
    result[path] = {
      ...result[path],
      [endpoint.route.method.toLowerCase()]: operation(endpoint, components),
    };
  }
  return result;
}

// Sections in their order; in a section the contracts' order, but the gateway's own routes last.
function byNeed(a: Endpoint, b: Endpoint): number {
  const names = Object.keys(sections);
  const rank = ({ route, action }: Endpoint) =>
    names.indexOf(route.tag) * 2 + (action.startsWith('api-gateway.') ? 1 : 0);
  return rank(a) - rank(b);
}

// The secret address is listed beside the plain one, as a route with one more parameter.
function withSecretAddress(endpoint: Endpoint): Endpoint[] {
  const { action, route } = endpoint;
  if (route.secretAddress === undefined) return [endpoint];
  const secret = { ...route, path: `${route.path}/:secret` } as const;
  return [endpoint, { ...endpoint, action: `${action}AtSecretAddress`, route: secret }];
}

function operation({ action, definition, route }: Endpoint, components: Components): Json {
  return {
    operationId: action,
    summary: definition.summary,
    ...descriptionOf(definition, route),
    tags: [route.tag],
    security: securityOf(route),
    ...requestOf(definition, route, components),
    responses: responses(definition, route, components),
    ...(canBeTriedOut(route) ? {} : { 'x-try-out': false }),
  };
}

// The documentation page cannot show a long stream, nor call a page for browsers.
const canBeTriedOut = ({ stream, browser }: HttpRoute) => stream === undefined && browser === undefined;

function descriptionOf({ description }: ActionDefinition, { stream, path }: HttpRoute) {
  if (stream === undefined) return description === undefined ? {} : { description };
  const address = apiPrefix + path.replace(/:([a-z_]+)/g, '{$1}');
  const how = `The response is too long for this page: \`curl -OJ -H 'X-API-Key: …' 'https://…${address}?…'\` saves it as a file.`;
  return { description: [description, how].filter((text) => text !== undefined).join('\n\n') };
}

function securityOf(route: HttpRoute): Json[] {
  const credentials = credentialsOf(route);
  if (credentials.length === 0) return [{}];
  return [
    ...(route.orPublic === true ? [{}] : []),
    { bearer: [] },
    ...(credentials.includes('api-key') ? [{ apiKey: [] }] : []),
  ];
}

function responses(definition: ActionDefinition, route: HttpRoute, components: Components): Json {
  const success = route.browser === undefined ? jsonSuccess(definition, route, components) : browserSuccess;
  // Of several failures with one status, the document contains the last.
  const codes = new Map(failuresOf(definition, route).map((code) => [errorTable[code].status, code]));
  const failures = [...codes].map(([status, code]) => [status, components.failure(code)]);
  const own = route.browser === undefined ? [] : [[303, redirect]];
  if (route.delivery?.statusOf !== undefined)
    return Object.fromEntries([...failures, ...deliveryResponses(route, success)]);
  return Object.fromEntries([[route.status ?? 200, success], ...own, ...failures]);
}

// A webhook whose status depends on the answer.
function deliveryResponses({ status = 200 }: HttpRoute, success: Json): [number, Json][] {
  const accepted = { description: 'Accepted, without a body', headers: headerRefs };
  return [
    [200, success],

    ...(status === 204 ? [[status, accepted] satisfies [number, Json]] : []),
  ];
}

const browserSuccess = {
  description: 'An HTML page',
  headers: headerRefs,
  content: { 'text/html': { schema: { type: 'string' } } },
};
const redirect = {
  description: 'A redirect to another address',
  headers: { ...headerRefs, Location: { schema: { type: 'string', format: 'uri' } } },
};

function jsonSuccess(definition: ActionDefinition, route: HttpRoute, components: Components): Json {
  const schema = components.schema(route.delivery?.answer ?? definition.returns, 'output');
  const forms = route.stream ?? ['json'];
  return {
    description: 'Success',
    headers: route.stream === undefined ? headerRefs : { ...headerRefs, ...disposition },
    content: Object.fromEntries(
      forms.map((form) => [streamTypes[form], { schema: streamSchemas[form] ?? schema }]),
    ),
  };
}

const streamTypes = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  json: 'application/json',
  geojson: 'application/geo+json',
  gpx: 'application/gpx+xml',
  tcx: 'application/vnd.garmin.tcx+xml',
} as const;
/** The schemas of the forms that `returns` does not describe. */
const streamSchemas: Readonly<Partial<Record<keyof typeof streamTypes, Json>>> = {
  csv: {
    type: 'string',
    description: 'A table as defined by RFC 4180. The first line holds the names of the columns.',
  },
  geojson: { type: 'object', description: 'A Feature as defined by RFC 7946.' },
  gpx: { type: 'string', description: 'A document of GPX 1.1.' },
  tcx: { type: 'string', description: 'A document of Training Center XML.' },
};
const disposition = {
  'Content-Disposition': { schema: { type: 'string' }, description: 'A file name for the download.' },
};

function failuresOf(definition: ActionDefinition, route: HttpRoute): ErrorCode[] {
  const guarded = credentialsOf(route).length > 0;
  const takesBody = ['POST', 'PUT', 'PATCH'].includes(route.method);
  if (route.delivery?.uploadedFor !== undefined)
    return ['UNAUTHENTICATED', 'FORBIDDEN', 'WEBHOOK_FAILED', 'SERVICE_UNAVAILABLE'];
  const codes: ErrorCode[] = ['SERVICE_UNAVAILABLE'];
  if (route.unlimited !== true) codes.push('RATE_LIMITED');
  if (guarded) codes.push('UNAUTHENTICATED', 'FORBIDDEN');
  if (clientIdHeader(route) !== undefined) codes.push('WEBHOOK_CLIENT_MISSING');
  if (route.delivery !== undefined) codes.push('WEBHOOK_FAILED');
  if (route.secretAddress !== undefined) codes.push('WEBHOOK_SENDER_REFUSED', 'WEBHOOK_ADDRESS_REFUSED');
  if (takesBody) codes.push('MALFORMED_BODY', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (Object.keys(propertiesOf(jsonSchema(definition.params, 'input'))).length > 0)
    codes.push('VALIDATION_FAILED');
  if (route.path.endsWith('/:secret')) codes.push('ROUTE_NOT_FOUND');
  else if (route.path.includes(':')) codes.push('RECORD_NOT_FOUND');
  if (route.idempotencyKey === true) codes.push('IDEMPOTENCY_KEY_REUSED');
  return [...codes, ...(route.failures ?? [])];
}
