import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type ActionDefinition, apiPrefix, type HttpRoute } from '../../domain/contract.ts';
import { type ErrorCode, errorTable } from '../../domain/errors.ts';
import { type Endpoint, endpoints, pathParameters } from './endpoints.ts';
import { asJson, formOf, type Json, jsonSchema, propertiesOf, requiredOf } from './json-schema.ts';

/** The OpenAPI 3.1 document of all routes, made from the contracts: same contracts, same document. */
export function openapiDocument(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pulsebus',
      version: version(),
      description:
        'Wearable health data of your users, collected from device makers and activity platforms. Times are ISO 8601 in UTC, ranges are [start, end). Errors are `{"detail": "…"}`; every answer carries X-Request-Id and the three X-RateLimit headers.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: apiPrefix }],
    tags: [...new Set(endpoints.map(({ route }) => route.tag))].map((name) => ({ name })),
    paths: paths(),
    components: { schemas: { Error: errorSchema }, headers, securitySchemes },
  };
}

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: "An API key, a developer's token or a user's token.",
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'Also X-Service-API-Key, X-Pulsebus-API-Key.',
  },
};

const errorSchema = {
  type: 'object',
  required: ['detail'],
  properties: {
    detail: { type: 'string', description: 'A sentence for a person.' },
    errors: {
      type: 'array',
      description: 'Of 422: one entry a field.',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

const headers = {
  'X-Request-Id': { schema: { type: 'string' }, description: 'Quote it when something fails.' },
  'X-RateLimit-Limit': { schema: { type: 'integer' }, description: 'Requests a minute.' },
  'X-RateLimit-Remaining': { schema: { type: 'integer' } },
  'X-RateLimit-Reset': { schema: { type: 'integer' }, description: 'When the window ends, in Unix seconds.' },
};
const headerRefs = Object.fromEntries(
  Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

function paths(): Json {
  const result: Record<string, Json> = {};
  for (const endpoint of endpoints.flatMap(withSecretAddress)) {
    const path = endpoint.route.path.replace(/:([a-z_]+)/g, '{$1}');
    result[path] = { ...result[path], [endpoint.route.method.toLowerCase()]: operation(endpoint) };
  }
  return result;
}

// The secret address is listed beside the plain one, as a route with one more parameter.
function withSecretAddress(endpoint: Endpoint): Endpoint[] {
  const { action, route } = endpoint;
  if (route.secretAddress === undefined) return [endpoint];
  const secret = { ...route, path: `${route.path}/:secret` } as const;
  return [endpoint, { ...endpoint, action: `${action}AtSecretAddress`, route: secret }];
}

function operation({ action, definition, route }: Endpoint): Json {
  const schema = jsonSchema(definition.params, 'input');
  const inPath = pathParameters(route.path);
  const properties = Object.entries(propertiesOf(schema)).filter(([name]) => !inPath.includes(name));
  const required = requiredOf(schema);
  const hasQuery = route.method === 'GET' || route.method === 'DELETE';
  return {
    operationId: action,
    summary: definition.summary,
    ...(definition.description === undefined ? {} : { description: definition.description }),
    tags: [route.tag],
    security: securityOf(route),
    parameters: [
      ...inPath.map((name) =>
        parameter('path', name, propertiesOf(schema)[name] ?? { type: 'string' }, true),
      ),
      ...clientHeaders(route),
      ...(hasQuery
        ? properties.map(([name, one]) => parameter('query', name, one, required.includes(name)))
        : []),
    ],
    ...(hasQuery ? {} : bodyOf(route, properties, required)),
    responses: responses(definition, route),
  };
}

function clientHeaders({ delivery, idempotencyKey }: HttpRoute): Json[] {
  const [name] = delivery?.clientIdHeaders ?? [];
  return [
    ...(name === undefined ? [] : [parameter('header', name, { type: 'string' }, true)]),
    ...(idempotencyKey === true ? [idempotencyHeader] : []),
  ];
}

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'Any text of yours: the same request with the same key by the same caller runs at most once and is answered as the first was, for a day, with `Idempotent-Replayed: true`. Another request with that key answers 409; so does one whose first run is still in work (Retry-After), or was cut short so that nobody knows what came of it. A request that failed may be sent again with its key.',
};

function bodyOf(route: HttpRoute, properties: [string, unknown][], required: readonly string[]): Json {
  if (route.delivery !== undefined) return body({ type: 'object', additionalProperties: true }, true, route);
  if (properties.length === 0) return {};
  const names = properties.map(([name]) => name).filter((name) => required.includes(name));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(names.length > 0 ? { required: names } : {}),
  };
  return body(schema, route.bodyOptional !== true, route);
}

function body(schema: Json, required: boolean, { form }: HttpRoute): Json {
  const content: Record<string, Json> = { 'application/json': { schema } };
  if (form === true) content['application/x-www-form-urlencoded'] = { schema };
  return { requestBody: { required, content } };
}

function securityOf({ access }: HttpRoute): Json[] {
  const open = access.includes('public') || access.includes('webhook');
  const keys = access.some((who) => who !== 'public' && who !== 'webhook');
  return [
    ...(open ? [{}] : []),
    ...(keys ? [{ bearer: [] }] : []),
    ...(access.includes('api-key') ? [{ apiKey: [] }] : []),
  ];
}

function parameter(where: string, name: string, schema: unknown, required: boolean): Json {
  const list = formOf(asJson(schema), 'array');
  return {
    name,
    in: where,
    required,
    schema: list ?? schema,
    ...(list ? { style: 'form', explode: true } : {}),
  };
}

function responses(definition: ActionDefinition, route: HttpRoute): Json {
  const success = route.browser === undefined ? jsonSuccess(definition, route) : browserSuccess;
  const failures = failuresOf(definition, route).map((code) => {
    const { status, detail } = errorTable[code];
    return [
      status,
      {
        description: detail,
        headers: headerRefs,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ];
  });
  const own = route.browser === undefined ? [] : [[303, redirect]];
  return Object.fromEntries([[route.status ?? 200, success], ...own, ...failures]);
}

const browserSuccess = {
  description: 'A page for a person',
  headers: headerRefs,
  content: { 'text/html': { schema: { type: 'string' } } },
};
const redirect = {
  description: 'On to another address',
  headers: { ...headerRefs, Location: { schema: { type: 'string', format: 'uri' } } },
};

function jsonSuccess(definition: ActionDefinition, route: HttpRoute): Json {
  const schema = jsonSchema(route.delivery?.answer ?? definition.returns, 'output');
  const types = route.stream?.map((form) => streamTypes[form]) ?? ['application/json'];
  return {
    description: 'Success',
    headers: route.stream === undefined ? headerRefs : { ...headerRefs, ...disposition },
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  };
}

const streamTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;
const disposition = {
  'Content-Disposition': { schema: { type: 'string' }, description: 'A file name for the download.' },
};

function failuresOf(definition: ActionDefinition, route: HttpRoute): ErrorCode[] {
  const guarded = !route.access.every((who) => who === 'public' || who === 'webhook');
  const takesBody = route.method === 'POST' || route.method === 'PATCH';
  const codes: ErrorCode[] = ['SERVICE_UNAVAILABLE'];
  if (route.unlimited !== true) codes.push('RATE_LIMITED');
  if (guarded) codes.push('UNAUTHENTICATED', 'FORBIDDEN');
  if (route.delivery?.clientIdHeaders !== undefined) codes.push('WEBHOOK_CLIENT_MISSING');
  if (route.delivery !== undefined) codes.push('WEBHOOK_FAILED');
  if (route.secretAddress !== undefined) codes.push('WEBHOOK_SENDER_REFUSED', 'WEBHOOK_ADDRESS_REFUSED');
  if (takesBody) codes.push('MALFORMED_BODY', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (Object.keys(propertiesOf(jsonSchema(definition.params, 'input'))).length > 0)
    codes.push('VALIDATION_FAILED');
  if (route.path.endsWith('/:secret')) codes.push('ROUTE_NOT_FOUND');
  else if (route.path.includes(':')) codes.push('RECORD_NOT_FOUND');
  if (route.idempotencyKey === true) codes.push('IDEMPOTENCY_KEY_REUSED');
  return codes;
}
