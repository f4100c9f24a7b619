import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { HttpRoute } from '../../../domain/contract.ts';
import { type SeriesType, seriesTypes } from '../../../domain/records/series.ts';
import { namesInOpenWearables, type ProviderName } from '../../../providers/all.ts';
import { asJson, type Json, referringSchema } from './components.ts';
import type { Endpoint } from './endpoints.ts';

/**
 * The names that Open Wearables gives to what has another name here. A request may use them wherever it names a provider or a
 * series type. They are replaced before the request is validated, so that cursors, Idempotency-Keys and stored values have our
 * names only. The alternative was a second name in each schema, which would reach all services and the generated client.
 */
const ours: ReadonlyMap<string, string> = new Map<string, string>([
  ...namesInOpenWearables,
  ...[...namesInOpenWearables].flatMap(([name, provider]) => ofProvider(name, provider)),
  ['nike_fuel', 'sportswear_fuel' satisfies SeriesType],
]);
const theirs: ReadonlyMap<string, string> = new Map([...ours].map(([name, own]) => [own, name]));

// Later releases of theirs have another name for a type of earlier ones. It is answered to requests that use it.
const laterNames: ReadonlyMap<string, string> = new Map([['active_energy', 'energy' satisfies SeriesType]]);

/** The names of Open Wearables, for the documentation. */
export const namesOfOpenWearables: readonly string[] = [...ours.keys(), ...laterNames.keys()];

// Series that only one provider has begin with its name.
function ofProvider(name: string, provider: ProviderName): (readonly [string, SeriesType])[] {
  const own = seriesTypes.filter((type) => type.startsWith(`${provider}_`));
  return own.map((type) => [name + type.slice(provider.length), type]);
}

/** A path of Open Wearables for a route that has another one here. */
export interface OtherPath {
  readonly method: HttpRoute['method'];
  readonly theirs: string;
  readonly ours: string;
  /** What their path says and our query states. */
  readonly query?: Readonly<Record<string, string>>;
}

const [keys, ourKeys] = ['/developer/api-keys', '/api-keys'];
const connection = '/users/:user_id/connections/:provider';

/** The paths of Open Wearables whose requests our routes take as they are. docs/from-open-wearables.md lists those that differ. */
export const pathsOfOpenWearables: readonly OtherPath[] = [
  { method: 'GET', theirs: '/oauth/:provider/authorize', ours: '/connect/:provider/authorize' },
  { method: 'DELETE', theirs: `${connection}/data`, ours: connection, query: { purge: 'true' } },
  { method: 'POST', theirs: '/users/:user_id/import/apple/xml/direct', ours: '/users/:user_id/imports' },
  { method: 'GET', theirs: keys, ours: ourKeys },
  { method: 'POST', theirs: keys, ours: ourKeys },
  { method: 'PATCH', theirs: `${keys}/:key_id`, ours: `${ourKeys}/:key_id` },
  { method: 'DELETE', theirs: `${keys}/:key_id`, ours: `${ourKeys}/:key_id` },
  { method: 'POST', theirs: `${keys}/:key_id/rotate`, ours: `${ourKeys}/:key_id/rotate` },
];

/** The header in which clients of Open Wearables send an API key. Answers to it have the names of Open Wearables. */
export const headerOfOpenWearables = 'X-Open-Wearables-API-Key';

/** Whether a client of Open Wearables sends a request. */
export const isOfOpenWearables = (headers: IncomingHttpHeaders): boolean =>
  headers[headerOfOpenWearables.toLowerCase()] !== undefined;

/** Whether a parameter is one by which Open Wearables omits records. `filter_by_priority=false` omits none. */
export const isTheirFilter = (name: string, value: unknown): boolean =>
  name === 'filter_by_priority' ? value !== 'false' : theirFilters.has(name);

const theirFilters: ReadonlySet<string> = new Set([
  'provider',
  'source',
  'device_model',
  'data_source_id',
  'is_nap',
  'type',
  'has_active_connection',
  'last_synced_before',
]);

/** The parameters of a request with our names, and how its answer is named. */
interface NamedRequest {
  readonly params: Record<string, unknown>;
  toAnswer(body: unknown): unknown;
}

/**
 * A request that may have names of Open Wearables. If a parameter has one, or the key came in their header, the answer has
 * them too: in the fields of its schema that name a provider or a series type. Keys of maps, sentences, lines of streams and
 * resources of FHIR have our names. Values of a wrong type stay, and the schema refuses them.
 */
export function withOurNames(
  { definition, route }: Endpoint,
  headers: IncomingHttpHeaders,
  given: Record<string, unknown>,
): NamedRequest {
  if (route.fhir === true) return { params: given, toAnswer: (body) => body };
  const used = new Map<string, string>();
  const toOurs = (text: string) => {
    const own = ours.get(text) ?? laterNames.get(text);
    if (own !== undefined) used.set(own, text);
    return own ?? text;
  };
  const place = placesIn(definition.params, 'input');
  const params = place === null ? given : renamedMembers(given, place, toOurs);
  const answered =
    used.size > 0 || isOfOpenWearables(headers) ? placesIn(definition.returns, 'output') : null;
  const toTheirs = (text: string) => used.get(text) ?? theirs.get(text) ?? text;
  const toAnswer = (body: unknown) => (answered === null ? body : renamedIn(body, answered, toTheirs));
  return { params, toAnswer };
}

/** Where names stand in a value: it is a name itself, or its members have some, or each item of a list or value of a map. */
interface Place {
  readonly isName: boolean;
  readonly members: ReadonlyMap<string, Place>;
  readonly each: Place | null;
}

type Direction = 'input' | 'output';
const places: Readonly<Record<Direction, WeakMap<z.ZodType, Place | null>>> = {
  input: new WeakMap(),
  output: new WeakMap(),
};

// Null where no name stands.
function placesIn(schema: z.ZodType, io: Direction): Place | null {
  const known = places[io].get(schema);
  if (known !== undefined) return known;
  const { $defs, ...whole } = referringSchema(schema, io);
  const place = placeOf(whole, asJson($defs), new Set());
  places[io].set(schema, place);
  return place;
}

const definitions = '#/$defs/';
const named: readonly unknown[] = ['Provider', 'SeriesType'].map((id) => definitions + id);
const aName: Place = { isName: true, members: new Map(), each: null };

// `open` has the references that are being followed: schemas may contain themselves.
function placeOf(schema: Json, defs: Json, open: ReadonlySet<string>): Place | null {
  const { $ref, properties, items, additionalProperties, anyOf, oneOf, allOf } = schema;
  if (named.includes($ref)) return aName;
  if (typeof $ref === 'string') {
    const target = asJson(defs[$ref.slice(definitions.length)]);
    return open.has($ref) ? null : placeOf(target, defs, new Set([...open, $ref]));
  }
  const below = (part: unknown) => (typeof part === 'object' ? placeOf(asJson(part), defs, open) : null);
  // The source of an item has the name of its provider as a text.
  const ofMember = ([name, part]: [string, unknown]) =>
    name === 'provider' && asJson(part).type === 'string' ? aName : below(part);
  const members = Object.entries(asJson(properties)).flatMap((entry) => {
    const place = ofMember(entry);
    return place === null ? [] : [[entry[0], place] as const];
  });
  const each = both(below(items), below(additionalProperties));
  const own =
    each === null && members.length === 0 ? null : { isName: false, members: new Map(members), each };
  const alternatives = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list.map(below) : []));
  return alternatives.reduce(both, own);
}

function both(one: Place | null, other: Place | null): Place | null {
  if (one === null || other === null) return one ?? other;
  const members = new Map(one.members);
  for (const [name, place] of other.members)
    members.set(name, both(members.get(name) ?? null, place) ?? place);
  return { isName: one.isName || other.isName, members, each: both(one.each, other.each) };
}

type Rename = (text: string) => string;

function renamedIn(value: unknown, place: Place, rename: Rename): unknown {
  const { isName, each } = place;
  if (typeof value === 'string') return isName ? renamedText(value, each !== null, rename) : value;
  if (Array.isArray(value)) return each === null ? value : value.map((item) => renamedIn(item, each, rename));
  return typeof value === 'object' && value !== null ? renamedMembers(value, place, rename) : value;
}

function renamedMembers(value: object, { members, each }: Place, rename: Rename): Record<string, unknown> {
  const entries = Object.entries(value).map(([name, part]: [string, unknown]) => {
    const place = members.get(name) ?? each;
    return [name, place === null ? part : renamedIn(part, place, rename)] as const;
  });
  return Object.fromEntries(entries);
}

// A parameter that is a list may be a text with commas.
function renamedText(text: string, isList: boolean, rename: Rename): string {
  if (!isList || !text.includes(',')) return rename(text);
  return text
    .split(',')
    .map((one) => rename(one.trim()))
    .join(',');
}
