import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { eventBody, events, ping } from '../../../contracts/webhooks/events.ts';
import {
  type ActionDefinition,
  apiPrefix,
  credentialsOf,
  type HttpRoute,
  takesQuery,
} from '../../../domain/contract.ts';
import { type ErrorCode, errorTable } from '../../../domain/errors.ts';
import { providerNamed, providers } from '../../../providers/all.ts';
import {
  Components,
  formOf,
  headerRefs,
  idOf,
  type Json,
  jsonSchema,
  propertiesOf,
  requiredOf,
} from './components.ts';
import { type Endpoint, endpoints, pathParameters } from './endpoints.ts';
import { namesOfOpenWearables } from './open-wearables.ts';

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
  const schema = components.schema(route.delivery?.answer ?? definition.returns);
  const forms = route.stream ?? ['json'];
  return {
    description: 'Success',
    headers: route.stream === undefined ? headerRefs : { ...headerRefs, ...disposition },
    content: Object.fromEntries(
      forms.map((form) => [
        streamTypes[form],
        { schema: form === 'bytes' ? fileSchema(components) : (streamSchemas[form] ?? schema) },
      ]),
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
  bytes: 'application/octet-stream',
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
  if (Object.keys(propertiesOf(jsonSchema(definition.params))).length > 0) codes.push('VALIDATION_FAILED');
  if (route.path.endsWith('/:secret')) codes.push('ROUTE_NOT_FOUND');
  else if (route.path.includes(':')) codes.push('RECORD_NOT_FOUND');
  if (route.idempotencyKey === true) codes.push('IDEMPOTENCY_KEY_REUSED');
  return [...codes, ...(route.failures ?? [])];
}

/** The introduction: the first steps. */
export const introduction = `Wearable health data of your users, collected from device makers and activity platforms.

1. Put an API key into the field at the top of this page; every request uses it, and this browser keeps it until **Forget**. Without a key, log in with \`POST /auth/login\` and create one with \`POST /api-keys\`: this page uses both at once.
2. Choose an operation from the list and press **Execute**: status, answer and the curl command appear below it.
3. This page fills in the id of a user that the key reads, and ids of later answers; dates are filled in as yesterday and today.
4. Connect the user to a provider, or import a connection; send data to the webhook, or let the sandbox do so; read it.

Times are ISO 8601 in UTC, ranges are [start, end). Errors are \`{"detail": "…", "code": "USER_NOT_FOUND"}\`. Every response has X-Request-Id and the three X-RateLimit headers. Requests may name providers and series types as Open Wearables does (${namesOfOpenWearables.map((name) => `\`${name}\``).join(', ')}): the answer to such a request, or to a key in X-Open-Wearables-API-Key, has those names too.`;

/** The sections of the document, in the order in which a newcomer needs them. */
export const sections: Readonly<Record<string, string>> = {
  Accounts: 'Log in, and manage the accounts of developers.',
  Projects:
    'Products and stages, and the roles of developers in them. Users, keys and endpoints belong to one project.',
  'API keys': 'Keys for servers. A key reads and changes the users of its project, within its scopes.',
  Users: 'The users whose data is stored.',
  Connections: 'The connections of users to their accounts at providers.',
  Data: 'Time series, events and summaries of one user.',
  FHIR: 'The data of users as FHIR R4, for hospitals, trials and personal records. Failures are OperationOutcomes.',
  Changes:
    'What changed: webhooks to your endpoints, and a feed. `webhooks` of this document has the events.',
  Destinations: 'Copies of all data of a project in stores of its own, which follow every change.',
  Insights:
    'What is computed from the data of users by published methods: baselines, scores of sleep, training, glucose.',
  Freshness: 'Whether data arrives as expected, what is missing, and incidents of providers.',
  Tokens: 'Tokens for mobile and web apps. A token reads the data of one user.',
  Applications: 'Mobile and web apps that may issue tokens for users.',
  Uploads: 'Data that apps on the devices of users upload, and the codes that connect an app.',
  Imports: 'Files with health data: exports of Apple Health, recordings of devices, tables.',
  Webhooks: 'Called by providers, not by applications.',
  Operations: 'Health, deliveries, status of the providers, audit.',
};

/** The requests that webhook endpoints receive, one for each event type. */
function webhooksOf(components: Components): Json {
  const all = [...Object.entries(events), ['test.ping', ping] as const];
  return Object.fromEntries(
    all.map(([type, definition]) => [
      type,
      {
        post: webhookOperation(type, definition.summary, components.schema(eventBody(type, definition))),
      },
    ]),
  );
}

function webhookOperation(type: string, summary: string, schema: Json): Json {
  return {
    operationId: `event.${type}`,
    summary,
    tags: ['Changes'],
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: webhookResponses,
  };
}

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
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

const webhookResponses = {
  '2XX': { description: 'The message is delivered. The response must arrive within 15 seconds.' },
  '410': { description: 'The endpoint is disabled.' },
  default: {
    description: 'The message is sent again later. `Retry-After` is obeyed. Redirects are not followed.',
  },
};

/** The parameters of an operation and its body, if it has one. */
function requestOf({ params }: ActionDefinition, route: HttpRoute, components: Components): Json {
  const schema = components.unnamed(params, 'input');
  const inPath = pathParameters(route.path);
  const fields = Object.entries(propertiesOf(schema)).map(([name, one]) =>
    fieldOf(name, one, schema, components),
  );
  const rest = fields.filter(({ name }) => !inPath.includes(name));
  const hasQuery = takesQuery(route);
  const path = inPath.map((name) => parameter('path', fields.find((one) => one.name === name) ?? secret));
  const query = rest.map((field) => parameter('query', field));
  return {
    parameters: [...path, ...clientHeaders(route), ...(hasQuery ? query : [])],
    ...(hasQuery ? {} : bodyOf(params, route, rest, components)),
  };
}

/** A field of the parameters of an action. */
interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly description: unknown;
  readonly example: unknown;
  readonly schema: Json;
}

function fieldOf(name: string, schema: Json, whole: Json, components: Components): Field {
  const { description, example } = components.resolved(schema);
  return { name, required: requiredOf(whole).includes(name), description, example, schema };
}

/** The only parameter of a path that no contract has. */
const secret: Field = {
  name: 'secret',
  required: true,
  description: 'A secret of WEBHOOK_SECRET_<PROVIDER>. `GET /status` returns the whole address.',
  example: undefined,
  schema: { type: 'string' },
};

function parameter(where: string, { name, required, description, example, schema }: Field): Json {
  const { description: _, example: __, ...rest } = schema;
  const list = formOf(rest, 'array');
  return {
    name,
    in: where,
    required: required || where === 'path',
    description,
    schema: list ?? rest,
    ...(list === null ? {} : { style: 'form', explode: true }),
    ...(example === undefined ? {} : { example }),
  };
}

function clientHeaders(route: HttpRoute): Json[] {
  const header = clientIdHeader(route);
  return [
    ...(header === undefined ? [] : [parameter('header', clientId(header))]),
    ...Object.entries(route.delivery?.headers ?? {}).map(([name, texts]) =>
      parameter('header', { name, required: false, schema: { type: 'string' }, ...texts }),
    ),
    ...(route.idempotencyKey === true ? [idempotencyHeader] : []),
  ];
}

/** The header of a provider's deliveries that contains the client id, and the setting with its value. */
interface ClientIdHeader {
  readonly name: string;
  readonly setting: string;
  readonly provider: string;
}

/** The client id header of a route; undefined if it needs none. */
function clientIdHeader({ delivery }: HttpRoute): ClientIdHeader | undefined {
  if (delivery === undefined) return undefined;
  const provider = providerNamed(delivery.provider);
  const { names, webhooks } = providers[provider];
  const [name] = webhooks.clientIdHeaders;
  return name === undefined || names === null ? undefined : { name, setting: names.clientId, provider };
}

function clientId({ name, setting, provider }: ClientIdHeader): Field {
  return {
    name,
    required: true,
    description: `The client id of the application at the provider, ${setting}. Any value is accepted if that is not set.`,
    example: `sandbox-${provider}`,
    schema: { type: 'string' },
  };
}

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'A key of your choice. For one day, the same request with the same key and by the same caller runs at most once; a repetition returns the first response with `Idempotent-Replayed: true`. Returns 409 if the key was used for another request, if the first request is still being processed (with Retry-After), or if it was interrupted and its outcome is unknown. A request that failed can be sent again with the same key.',
};

function bodyOf(params: z.ZodType, route: HttpRoute, fields: readonly Field[], components: Components): Json {
  const { delivery } = route;
  if (delivery !== undefined) {
    const schema = components.named('WebhookBody', { type: 'object', additionalProperties: true });
    return body(schema, delivery.example, true, route);
  }
  if (route.file !== undefined) return fileBody(components);
  if (fields.length === 0) return {};
  const required = fields.filter((one) => one.required).map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, withExamples(schema)])),
    ...(required.length > 0 ? { required } : {}),
  };
  const id = idOf(params);
  const shown = id === undefined ? schema : components.named(id, schema);
  return body(shown, exampleOf(fields), route.bodyOptional !== true, route);
}

const fileSchema = (components: Components) =>
  components.named('HealthFile', {
    type: 'string',
    format: 'binary',
    description: 'The content of a file.',
  });

function fileBody(components: Components): Json {
  const file = fileSchema(components);
  const password = { type: 'string', description: 'The password of an encrypted archive.' };
  const form = { type: 'object', properties: { file, password }, required: ['file'] };
  return {
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': { schema: components.named('HealthFileForm', form) },
        'application/octet-stream': { schema: file },
      },
    },
  };
}

// JSON Schema has a list of examples. Zod omits it for transformed values, so the contracts state one example.
function withExamples({ example, ...rest }: Json): Json {
  return example === undefined ? rest : { ...rest, examples: [example] };
}

/** The example of a body: the fields that have an example. */
function exampleOf(fields: readonly Field[]): Json {
  return Object.fromEntries(
    fields.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
  );
}

function body(schema: Json, example: Json, required: boolean, { form }: HttpRoute): Json {
  const content: Record<string, Json> = { 'application/json': { schema, example } };
  if (form === true) content['application/x-www-form-urlencoded'] = { schema };
  return { requestBody: { required, content } };
}
