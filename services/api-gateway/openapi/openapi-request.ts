import type { z } from 'zod';
import { type ActionDefinition, type HttpRoute, takesQuery } from '../../../domain/contract.ts';
import { providerNamed, providers } from '../../../providers/all.ts';
import { pathParameters } from '../endpoints.ts';
import { type Components, formOf, idOf, type Json, propertiesOf, requiredOf } from './components.ts';

/** The parameters of an operation and its body, if it has one. */
export function requestOf({ params }: ActionDefinition, route: HttpRoute, components: Components): Json {
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
export function clientIdHeader({ delivery }: HttpRoute): ClientIdHeader | undefined {
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

function fileBody(components: Components): Json {
  const file = components.named('HealthFile', {
    type: 'string',
    format: 'binary',
    description: 'The content of a file.',
  });
  const form = { type: 'object', properties: { file }, required: ['file'] };
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
