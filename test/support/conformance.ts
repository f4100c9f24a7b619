import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { z } from 'zod';

const Media = z.record(z.string(), z.object({ schema: z.looseObject({}) }));
const Response = z.object({
  content: Media.optional(),
  headers: z.record(z.string(), z.unknown()).optional(),
});
const Operation = z.object({ operationId: z.string(), responses: z.record(z.string(), z.looseObject({})) });
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ responses: z.record(z.string(), Response) }),
});
type Document = z.infer<typeof Document>;

/** Compares the responses to calls with a document while a client makes them. */
export interface Conformance {
  /** To be used by a client in place of the global one. */
  readonly fetch: typeof fetch;
  readonly operations: ReadonlySet<string>;
  readonly called: ReadonlySet<string>;
  /** What differs between the document and the responses, a sentence each. */
  readonly differences: readonly string[];
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly operationId: string;
  readonly responses: ReadonlyMap<string, z.infer<typeof Response>>;
}

/** The conformance of responses to a document, which every response must be valid for. */
export function conformanceTo(source: unknown): Conformance {
  const document = Document.parse(source);
  const routes = routesOf(document);
  const validate = validator(document);
  const called = new Set<string>();
  const differences: string[] = [];
  return {
    called,
    differences,
    operations: new Set(routes.map(({ operationId }) => operationId)),
    fetch: async (input, init = {}) => {
      const response = await fetch(input, { ...init, redirect: 'manual' });
      const { pathname } = new URL(String(input));
      const route = routes.find(
        ({ method, path }) => method === (init.method ?? 'GET') && path.test(pathname.replace('/api/v1', '')),
      );
      if (route === undefined) differences.push(`${init.method} ${pathname} is not in the document`);
      else {
        called.add(route.operationId);
        for (const text of await differencesOf(route, response.clone(), validate))
          differences.push(`${route.operationId} ${response.status}: ${text}`);
      }
      // A redirect is a response of its own. The client would follow it.
      const location = response.headers.get('location');
      return location === null ? response : fetch(new URL(location, String(input)));
    },
  };
}

// Paths without a parameter come first: `/users/x/connections/y` is no `/users/{user_id}`.
function routesOf({ paths, components }: Document): Route[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, responses }]) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      operationId,
      responses: new Map(
        Object.entries(responses).map(([status, one]) => [
          status,
          Response.parse(typeof one.$ref === 'string' ? components.responses[nameOf(one.$ref)] : one),
        ]),
      ),
      parameters: path.split('{').length,
    })),
  );
  return all.toSorted((a, b) => a.parameters - b.parameters);
}

const nameOf = (reference: string) => reference.split('/').at(-1) ?? '';

type Validate = (schema: AnySchemaObject, value: unknown) => string | null;

function validator(document: Document): Validate {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ ...document, $id: 'https://pulsebus.test/openapi.json' });
  const compiled = new Map<AnySchemaObject, ValidateFunction>();
  return (schema, value) => {
    const isValid = compiled.get(schema) ?? ajv.compile(absolute(schema));
    compiled.set(schema, isValid);
    return isValid(value) ? null : ajv.errorsText(isValid.errors);
  };
}

function absolute(schema: AnySchemaObject): AnySchemaObject {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://pulsebus.test/openapi.json#/'));
}

async function differencesOf({ responses }: Route, response: globalThis.Response, validate: Validate) {
  const documented = responses.get(String(response.status));
  if (documented === undefined) return ['the status is not in the document'];
  const missing = Object.keys(documented.headers ?? {}).filter((name) => !response.headers.has(name));
  const { content = {} } = documented;
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  const schema = content[type]?.schema;
  const text = await response.text();
  const headers = missing.map((name) => `the header ${name} is missing`);
  if (/json$/.test(type) && !text.endsWith('\n')) headers.push('it does not end with a line break');
  if (schema === undefined)
    return Object.keys(content).length === 0 ? headers : [...headers, `it is ${type}`];
  const invalid = valuesOf(type, text).map((value) => validate(schema, value));
  return [...headers, ...invalid.filter((one) => one !== null).slice(0, 3)];
}

function valuesOf(type: string, text: string): unknown[] {
  if (type === 'application/json') return [JSON.parse(text)];
  if (type !== 'application/x-ndjson') return [text];
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
