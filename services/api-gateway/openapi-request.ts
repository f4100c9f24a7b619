import type { ActionDefinition, HttpRoute } from '../../domain/contract.ts';
import { providerNamed, providers } from '../../providers/all.ts';
import { pathParameters } from './endpoints.ts';
import { formOf, type Json, jsonSchema, propertiesOf, requiredOf } from './json-schema.ts';

/** What an operation takes: its parameters, and its body where it has one. */
export function requestOf({ params }: ActionDefinition, route: HttpRoute): Json {
  const schema = jsonSchema(params, 'input');
  const inPath = pathParameters(route.path);
  const rest = Object.entries(propertiesOf(schema)).filter(([name]) => !inPath.includes(name));
  const required = requiredOf(schema);
  const hasQuery = route.method === 'GET' || route.method === 'DELETE';
  const path = inPath.map((name) => parameter('path', name, propertiesOf(schema)[name] ?? secret, true));
  const query = rest.map(([name, one]) => parameter('query', name, one, required.includes(name)));
  return {
    parameters: [...path, ...clientHeaders(route), ...(hasQuery ? query : [])],
    ...(hasQuery ? {} : bodyOf(route, Object.fromEntries(rest), required)),
  };
}

/** The only parameter of a path that no contract has. */
const secret: Json = {
  type: 'string',
  description: 'A secret of WEBHOOK_SECRET_<PROVIDER>. `GET /status` shows the whole address.',
};

function parameter(where: string, name: string, schema: Json, required: boolean): Json {
  const { description, example, ...rest } = schema;
  const list = formOf(rest, 'array');
  return {
    ...{ name, in: where, required, description, schema: list ?? rest },
    ...(list === null ? {} : { style: 'form', explode: true }),
    ...(example === undefined ? {} : { example }),
  };
}

function clientHeaders(route: HttpRoute): Json[] {
  const header = clientIdHeader(route);
  return [
    ...(header === undefined ? [] : [parameter('header', header.name, clientId(header), true)]),
    ...(route.idempotencyKey === true ? [idempotencyHeader] : []),
  ];
}

/** The header in which a provider's deliveries carry our client id, and the setting that has it. */
interface ClientIdHeader {
  readonly name: string;
  readonly setting: string;
  readonly provider: string;
}

/** The client id header of a route; undefined where it needs none. */
export function clientIdHeader({ delivery }: HttpRoute): ClientIdHeader | undefined {
  if (delivery === undefined) return undefined;
  const provider = providerNamed(delivery.provider);
  const { names, webhooks } = providers[provider];
  const [name] = webhooks.clientIdHeaders;
  return name === undefined ? undefined : { name, setting: names.clientId, provider };
}

function clientId({ setting, provider }: ClientIdHeader): Json {
  return {
    type: 'string',
    description: `The client id of our application at the provider, ${setting}; any where that is not set.`,
    example: `sandbox-${provider}`,
  };
}

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'Any text of yours: the same request with the same key by the same caller runs at most once and is answered as the first was, for a day, with `Idempotent-Replayed: true`. Another request with that key answers 409; so does one whose first run is still in work (Retry-After), or was cut short so that nobody knows what came of it. A request that failed may be sent again with its key.',
};

function bodyOf(
  route: HttpRoute,
  properties: Readonly<Record<string, Json>>,
  required: readonly string[],
): Json {
  const { delivery } = route;
  if (delivery !== undefined)
    return body({ type: 'object', additionalProperties: true }, delivery.example, true, route);
  const names = Object.keys(properties);
  if (names.length === 0) return {};
  const needed = names.filter((name) => required.includes(name));
  const shown = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, withExamples(one)]),
  );
  const schema = { type: 'object', properties: shown, ...(needed.length > 0 ? { required: needed } : {}) };
  return body(schema, exampleOf(properties), route.bodyOptional !== true, route);
}

// A JSON Schema has a list of them. Zod leaves that out where a value is transformed, so the contracts state one.
function withExamples({ example, ...rest }: Json): Json {
  return example === undefined ? rest : { ...rest, examples: [example] };
}

/** The fields that have an example: what a request needs, or a newcomer would send. */
function exampleOf(properties: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, { example }]) =>
      example === undefined ? [] : [[name, example]],
    ),
  );
}

function body(schema: Json, example: Json, required: boolean, { form }: HttpRoute): Json {
  const content: Record<string, Json> = { 'application/json': { schema, example } };
  if (form === true) content['application/x-www-form-urlencoded'] = { schema };
  return { requestBody: { required, content } };
}
