import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type ErrorCode, errorTable } from '../../../domain/errors.ts';

const prefix = '#/components/';
const schemaPrefix = `${prefix}schemas/`;

/** The components of the OpenAPI document, collected while its operations are written. Each component is unique. */
export class Components {
  readonly #schemas = new Map<string, Json>([
    ['ErrorBody', errorBody],
    ['FieldError', fieldError],
  ]);
  readonly #responses = new Map<string, Json>();

  /** A schema whose named parts are references to components; itself a reference if it has a name. */
  schema(schema: z.ZodType): Json {
    const whole = this.unnamed(schema, 'output');
    const id = idOf(schema);
    return id === undefined ? whole : this.named(id, whole);
  }

  /** The same without the name of the schema itself. */
  unnamed(schema: z.ZodType, io: Direction): Json {
    const { $defs, ...rest } = withComponents(referringSchema(schema, io));
    const { [idOf(schema) ?? '']: whole = rest, ...parts } = asJson($defs);
    for (const [id, one] of Object.entries(parts)) this.named(id, asJson(one));
    return asJson(whole);
  }

  /** A reference to a schema under a name. @throws Error if the name belongs to another schema */
  named(id: string, schema: Json): Json {
    const known = this.#schemas.get(id) ?? schema;
    if (!isDeepStrictEqual(known, schema)) throw new Error(`two schemas are named ${id}`);
    this.#schemas.set(id, schema);
    return { $ref: schemaPrefix + id };
  }

  /** The schema that a reference refers to, or the schema itself. Keywords beside the reference take precedence. */
  resolved(schema: Json): Json {
    const { $ref, ...own } = schema;
    if (typeof $ref !== 'string') return schema;
    return { ...this.#schemas.get($ref.slice(schemaPrefix.length)), ...own };
  }

  /** A reference to the answer to a failure. */
  failure(code: ErrorCode): Json {
    const content = { 'application/json': { schema: { $ref: `${schemaPrefix}ErrorBody` } } };
    this.#responses.set(code, { description: errorTable[code].detail, headers: failureHeaderRefs, content });
    return { $ref: `${prefix}responses/${code}` };
  }

  /** All parts that were referred to, by name. */
  all(): Json {
    return {
      schemas: sorted(this.#schemas),
      responses: sorted(this.#responses),
      headers: { ...headers, ...failureHeaders },
      securitySchemes,
    };
  }
}

/** The name under which a schema stands in the document. */
export const idOf = (schema: z.ZodType) => z.globalRegistry.get(schema)?.id;

const sorted = (parts: ReadonlyMap<string, Json>) =>
  Object.fromEntries([...parts].toSorted(([a], [b]) => (a < b ? -1 : 1)));

function withComponents(schema: Json): Json {
  const moved = (key: string, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', schemaPrefix) : value;
  return asJson(JSON.parse(JSON.stringify(schema), moved));
}

const fieldError: Json = {
  type: 'object',
  required: ['field', 'message'],
  properties: { field: { type: 'string' }, message: { type: 'string' } },
};

const errorBody: Json = {
  type: 'object',
  required: ['detail', 'code'],
  properties: {
    detail: { type: 'string', description: 'A human-readable sentence.' },
    code: {
      type: 'string',
      description: 'Names the failure: `USER_NOT_FOUND`. Several failures may have one status.',
    },
    errors: {
      type: 'array',
      description: 'Status 422 only: one entry per invalid field.',
      items: { $ref: `${schemaPrefix}FieldError` },
    },
  },
};

const headers = {
  'X-Request-Id': {
    schema: { type: 'string' },
    description: 'Identifies the request. Include it in error reports.',
  },
  'X-RateLimit-Limit': { schema: { type: 'integer' }, description: 'Number of requests allowed per minute.' },
  'X-RateLimit-Remaining': {
    schema: { type: 'integer' },
    description: 'Number of requests remaining in the current window.',
  },
  'X-RateLimit-Reset': {
    schema: { type: 'integer' },
    description: 'End of the current window, in Unix seconds.',
  },
};

const failureHeaders = {
  'X-Error-Code': {
    schema: { type: 'string' },
    description: 'The `code` of the body. A response that no service of Pulsebus sent has none.',
  },
};

const refsTo = (named: object): Json =>
  Object.fromEntries(Object.keys(named).map((name) => [name, { $ref: `${prefix}headers/${name}` }]));

/** The headers of every answer. */
export const headerRefs = refsTo(headers);
const failureHeaderRefs = refsTo({ ...headers, ...failureHeaders });

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
    description:
      'Also X-Service-API-Key, X-Pulsebus-API-Key, X-Open-Wearables-API-Key. Key headers that differ are refused.',
  },
};

/** A JSON Schema, or a part of one. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a schema describes the parameters or the answer of an action. */
type Direction = 'input' | 'output';

const definitions = '#/$defs/';

/** The JSON Schema of the parameters of an action, with named schemas inlined. */
export function jsonSchema(schema: z.ZodType): Json {
  const { $defs, ...rest } = referringSchema(schema, 'input');
  return asJson(inlined(rest, asJson($defs)));
}

/** As `jsonSchema`, with references: each schema with an id (`.meta({ id })`) is in `$defs`. */
export function referringSchema(schema: z.ZodType, io: Direction): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  });
  return rest;
}

// Keywords beside a reference, such as a description, replace those of the named schema.
function inlined(value: unknown, named: Json): unknown {
  if (Array.isArray(value)) return value.map((one) => inlined(one, named));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...own } = asJson(value);
  const target = typeof $ref === 'string' ? inlined(named[$ref.slice(definitions.length)], named) : {};
  return { ...asJson(target), ...mapped(own, (one) => inlined(one, named)) };
}

/** The same keys with other values. */
export function mapped<T>(object: Json, change: (value: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** The properties of an object's schema, by name. */
export function propertiesOf({ properties }: Json): Record<string, Json> {
  return mapped(asJson(properties), asJson);
}

/** The names that an object's schema requires. */
export function requiredOf({ required }: Json): string[] {
  return Array.isArray(required) ? required.map(String) : [];
}

/** The schema itself or one of its alternatives that is of a type; null if there is none. */
export function formOf(schema: Json, type: 'array' | 'object'): Json | null {
  if (schema.type === type) return schema;
  const forms: unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return forms.map(asJson).find((form) => form.type === type) ?? null;
}

/** An object as a JSON Schema; any other value as the empty schema. */
export function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
