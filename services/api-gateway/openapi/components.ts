import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type ErrorCode, errorTable } from '../../../domain/errors.ts';
import { asJson, type Direction, type Json, referringSchema } from './json-schema.ts';

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
  schema(schema: z.ZodType, io: Direction): Json {
    const whole = this.unnamed(schema, io);
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
    description: 'Also X-Service-API-Key, X-Pulsebus-API-Key.',
  },
};
