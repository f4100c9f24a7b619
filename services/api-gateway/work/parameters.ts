import type { IncomingMessage } from 'node:http';
import { takesQuery } from '../../../domain/contract.ts';
import { type FieldError, validationFailed } from '../../../domain/errors.ts';
import { misspelledName, nearestNames } from '../../../domain/nearest.ts';
import { listed } from '../../../domain/plain-message.ts';
import { asJson, formOf, type Json, jsonSchema, propertiesOf, requiredOf } from '../rules/components.ts';
import { type Endpoint, pathParameters } from '../rules/endpoints.ts';
import { isOfOpenWearables, isTheirFilter } from '../rules/open-wearables.ts';
import { isLenient } from './answer.ts';
import { bodyBounds, checkContentType, hasBody, parseObject, readBytes, refuseUnstorable } from './body.ts';
import type { Exchange, Pipeline } from './exchange.ts';

/**
 * The parameters of a request, from the query for GET and DELETE and from the body for POST, PUT and PATCH. Path parameters
 * take precedence. @throws 413, 415, 400, and 422 for names that are not in the contract and text that cannot be stored
 */
export async function gather(pipeline: Pipeline, exchange: Exchange): Promise<Record<string, unknown>> {
  const { endpoint, path, query } = exchange;
  const given = takesQuery(endpoint.route)
    ? readQuery(endpoint, query, exchange.req)
    : await readBody(pipeline, exchange);
  const named = pathParameters(endpoint.route.path).map((name) => [name, path[name]]);
  const params = { ...given, ...Object.fromEntries(named) };
  refuseUnstorable(params);
  return params;
}

async function readBody({ config }: Pipeline, { req, endpoint }: Exchange): Promise<Record<string, unknown>> {
  const bytes = hasBody(req) ? await readBytes(req, bodyBounds(config, endpoint.route)) : Buffer.alloc(0);
  if (bytes.length === 0) return readNothing(endpoint);
  const kind = checkContentType(req, endpoint.route.form === true);
  const fields = parseObject(bytes, kind);
  return kind === 'form' ? readForm(endpoint, fields) : readFields(endpoint, fields);
}

/**
 * The allowed names of a request, from its contract. An unknown field of a body is refused. An unknown query parameter is
 * refused if it resembles a known one, and otherwise ignored.
 */
interface Names {
  readonly inPath: readonly string[];
  /** Parameters of the query, or fields of the body. */
  readonly known: readonly string[];
  readonly lists: ReadonlySet<string>;
  readonly required: readonly string[];
  readonly schema: Json;
}

const mostErrors = 20;
const longestName = 100;
const cache = new WeakMap<Endpoint, Names>();

function namesOf(endpoint: Endpoint): Names {
  const cached = cache.get(endpoint);
  if (cached !== undefined) return cached;
  const schema = jsonSchema(endpoint.definition.params);
  const inPath = pathParameters(endpoint.route.path);
  const rest = Object.entries(propertiesOf(schema)).filter(([name]) => !inPath.includes(name));
  const names = {
    inPath,
    known: rest.map(([name]) => name),
    lists: new Set(rest.filter(([, one]) => formOf(one, 'array') !== null).map(([name]) => name)),
    required: requiredOf(schema).filter((name) => !inPath.includes(name)),
    schema: { ...schema, properties: Object.fromEntries(rest) },
  };
  cache.set(endpoint, names);
  return names;
}

/**
 * The parameters of a query. Lists are sent as `types=a&types=b`, `types[]=a` or `types[0]=a`; their schema splits values
 * at commas. Pages for browsers are not checked, because providers append parameters to their addresses.
 * @throws VALIDATION_FAILED (422) naming each parameter that is misspelt.
 */
function readQuery(
  endpoint: Endpoint,
  query: Readonly<Record<string, unknown>>,
  req: IncomingMessage,
): Record<string, unknown> {
  const { known, lists } = namesOf(endpoint);
  const grouped = Map.groupBy(Object.entries(query), ([name]) => listOf(name, lists) ?? name);
  if (endpoint.route.fhir === true) refuseUnknown([...grouped.keys()], known, isLenient(req));
  else if (endpoint.route.browser === undefined) refuseMisspelt([...grouped.keys()], known);
  if (isOfOpenWearables(req.headers)) refuseTheirFilters(query, known);
  return Object.fromEntries([...grouped].map(([name, given]) => [name, joined(given, lists.has(name))]));
}

// FHIR: a server that ignores a condition returns too much, so that a client has to ask for it.
function refuseUnknown(given: readonly string[], known: readonly string[], isLenient: boolean): void {
  if (isLenient) return;
  refuse(given.filter((name) => !known.includes(name)).map((name) => unknown(name, hint(name, known))));
}

/** A client of Open Wearables does not expect the records that its filter would omit. @throws VALIDATION_FAILED (422) */
function refuseTheirFilters(query: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const message = 'is a filter of Open Wearables that is missing here: the answer would have more records';
  const lacking = Object.entries(query).filter(
    ([name, value]) => isTheirFilter(name, value) && !known.includes(name),
  );
  refuse(lacking.map(([field]) => ({ field, message })));
}

function listOf(name: string, lists: ReadonlySet<string>): string | null {
  const list = /^(.+)\[\d*\]$/.exec(name)?.[1];
  return list !== undefined && lists.has(list) ? list : null;
}

// A list of one value is passed as the value: the schema accepts it, and its error messages then have no index.
function joined(given: readonly (readonly [string, unknown])[], isList: boolean): unknown {
  const values = given.map(([, value]) => value);
  return isList && values.length > 1 ? values.flat() : values[0];
}

/** @throws VALIDATION_FAILED (422) naming each name that is a misspelling of a known one. */
function refuseMisspelt(given: readonly string[], known: readonly string[]): void {
  refuse(
    given.flatMap((name) => {
      const nearest = nearestOf(name, known);
      return nearest === null ? [] : [unknown(name, `; the nearest known parameter is ${nearest}`)];
    }),
  );
}

// `limit[]` and `limit[0]` are list forms of a parameter that is no list.
function nearestOf(name: string, known: readonly string[]): string | null {
  const bare = name.replace(/\[.*$/, '');
  return bare !== name && known.includes(bare) ? bare : misspelledName(bare, known);
}

/** The fields of a form. Clients add OAuth fields to a log-in, so only misspelled names are refused. */
function readForm(endpoint: Endpoint, fields: Record<string, unknown>): Record<string, unknown> {
  const named = Object.keys(fields).filter((name) => !oauthFields.includes(name));
  refuseMisspelt(named, namesOf(endpoint).known);
  return fields;
}

// They resemble fields of ours (`scope` and `code`), and are no misspelt ones.
const oauthFields: readonly string[] = ['grant_type', 'scope', 'client_id', 'client_secret', 'state'];

/** The fields of a JSON body. @throws VALIDATION_FAILED (422) naming each unknown field and the nearest known one. */
export function readFields(endpoint: Endpoint, fields: Record<string, unknown>): Record<string, unknown> {
  const { schema, inPath } = namesOf(endpoint);
  const inBoth = Object.keys(fields).filter((name) => inPath.includes(name));
  refuse(inBoth.map((field) => ({ field, message: 'is part of the path and must not be in the body' })));
  const strange = unknownFields(fields, schema, '').take(mostErrors).toArray();
  refuse(strange.map(({ path, name, known }) => unknown(path + name, hint(name, known))));
  return fields;
}

/** The fields of a request without a body. @throws VALIDATION_FAILED (422) unless the body is optional or has required fields */
function readNothing(endpoint: Endpoint): Record<string, unknown> {
  const { known, required } = namesOf(endpoint);
  if (endpoint.route.bodyOptional === true || required.length > 0) return {};
  const message = `The body must be a JSON object with any of ${listed(known, 'and')}`;
  throw validationFailed([{ field: '', message }]);
}

const mostListed = 12;

function hint(name: string, known: readonly string[]): string {
  if (known.length === 0) return '; this request takes no fields';
  const meant = nearestOf(name, known);
  const [nearest] = meant === null ? nearestNames(name, known, 1) : [meant];
  if (meant !== null || known.length > mostListed) return `; the nearest known field is ${nearest}`;
  return `; the known fields are ${listed(known, 'and')}, the nearest is ${nearest}`;
}

function unknown(name: string, rest: string): FieldError {
  return { field: name.slice(0, longestName), message: `is unknown${rest}` };
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw validationFailed(errors.slice(0, mostErrors));
}

/** A field that is not in the contract, with its path and the known fields at that path. */
interface UnknownField {
  readonly path: string;
  readonly name: string;
  readonly known: readonly string[];
}

/** The unknown fields of a body, generated one by one, so that a caller can stop after the first few. */
function* unknownFields(value: unknown, schema: Json, path: string): Generator<UnknownField> {
  const items = Array.isArray(value) ? formOf(schema, 'array')?.items : undefined;
  if (Array.isArray(value) && items !== undefined)
    for (const [index, one] of value.entries()) yield* unknownFields(one, asJson(items), `${path}${index}.`);
  const form = formOf(schema, 'object');
  if (!isObject(value) || form === null || !isClosed(form)) return;
  const properties = new Map(Object.entries(propertiesOf(form)));
  const known = [...properties.keys()];
  for (const name of Object.keys(value)) {
    const own = properties.get(name);
    if (own === undefined) yield { path, name, known };
    else yield* unknownFields(value[name], own, `${path}${name}.`);
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// A map with free keys has no unknown fields.
function isClosed({ properties, additionalProperties }: Json): boolean {
  return properties !== undefined && (additionalProperties ?? false) === false;
}
