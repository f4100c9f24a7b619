import { gzipSync } from 'node:zlib';
import { type Endpoint, endpoints } from '../../../services/api-gateway/rules/endpoints.ts';
import { typeCases } from '../../fixtures/devicemaker/types.ts';
import { fromSchema } from './from-schema.ts';
import type { RawRequest } from './http.ts';
import { hostileTexts, mutated, mutatedBytes, mutatedCursor, nearText } from './mutate.ts';
import type { Random } from './random.ts';

/** What there is in the API that is asked: credentials, and values of parameters by name. */
export interface ApiData {
  readonly origin: string;
  readonly credentials: readonly Readonly<Record<string, string>>[];
  /** Values by the name of a parameter; answers add to it. */
  readonly known: Map<string, unknown[]>;
  /** Accounts of the device maker, and of the activity platform. */
  readonly accounts: readonly string[];
  readonly athletes: readonly number[];
  /** Links the accounts again: a mutated request may have ended them. */
  heal(): Promise<void>;
}

/** A request and the route that it was made of. */
export interface Mutant extends RawRequest {
  readonly route: string;
}

const slow = new Set(['auth.login', 'auth.createDeveloper', 'auth.changePassword']);

/** A request for some route that is wrong somewhere, as far as chance has it. */
export function mutant(world: ApiData, random: Random): Mutant {
  let endpoint = random.pick(endpoints);
  while (slow.has(endpoint.action) && !random.chance(0.1)) endpoint = random.pick(endpoints);
  const request = base(world, endpoint, random);
  return random.chance(0.05) ? odd(request, random) : request;
}

function base(world: ApiData, endpoint: Endpoint, random: Random): Mutant {
  const { route } = endpoint;
  // Reads and writes use a user who is never deleted; deletions use other users.
  const ends =
    endpoint.action === 'users.remove' || (endpoint.action === 'users.disconnect' && random.chance(0.9));
  const known = (name: string) => world.known.get(ends && name === 'user_id' ? 'victim_id' : name) ?? [];
  const made = route.delivery === undefined ? fromSchema(endpoint.definition.params, known, random) : {};
  const given = random.chance(0.15) ? made : mutatedParameters(made, random);
  const path = pathOf(route.path, given, known, random);
  const hasBody = route.method === 'POST' || route.method === 'PATCH';
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !route.path.includes(`:${name}`)));
  return {
    origin: world.origin,
    route: `${route.method} ${route.path}`,
    method: route.method,
    path: hasBody ? path : path + queryOf(rest, random),
    headers: { ...headersOf(random), ...random.pick(world.credentials) },
    ...(hasBody ? bodyOf(world, endpoint, rest, random) : {}),
  };
}

function mutatedParameters(made: Record<string, unknown>, random: Random): Record<string, unknown> {
  const value = mutated(made, random);
  const given = typeof value === 'object' && value !== null ? { ...value } : { ...made };
  const cursor: unknown = Reflect.get(made, 'cursor');
  return typeof cursor === 'string' && random.chance(0.7)
    ? { ...made, cursor: mutatedCursor(cursor, random) }
    : given;
}

function pathOf(
  path: string,
  given: Record<string, unknown>,
  known: (name: string) => readonly unknown[],
  random: Random,
) {
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => {
    const values = known(name);
    const usual = values.length > 0 ? random.pick(values) : given[name];
    const value = random.chance(0.8)
      ? usual
      : random.chance(0.5)
        ? given[name]
        : nearText(textOf(usual), random);
    return encode(value, random) || 'x';
  });
  return `/api/v1${filled}`;
}

function encode(value: unknown, random: Random): string {
  const text = textOf(value);
  if (random.chance(0.03))
    return random.pick(['%', '%zz', '%c3%28', '%ff', '%00', '%2e%2e%2f', '%F0%9F%92%A5']);
  return encodeURIComponent(text.toWellFormed()).slice(0, 4000);
}

// Not String: a mutated object may have a `toString` that is none.
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function queryOf(given: Record<string, unknown>, random: Random): string {
  const pairs = Object.entries(given).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    const key = random.chance(0.03) ? `${name}[${random.pick(['', '0', 'a', '__proto__'])}]` : name;
    return values.map((one) => `${encode(key, random)}=${encode(one, random)}`);
  });
  if (random.chance(0.02)) pairs.push(...Array.from({ length: 250 }, (_, i) => `types=${i}`));
  if (random.chance(0.05))
    pairs.push(random.pick(['&&', '=', 'a', 'limit', '%', 'limit=', 'cursor=', '__proto__[x]=1']));
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function headersOf(random: Random): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': random.chance(0.95)
      ? 'application/json'
      : random.pick([
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/json; charset=latin1',
          'x',
          ',;',
        ]),
    'devicemaker-client-id': 'faults',
  };
  if (random.chance(0.05))
    headers['X-Request-Id'] = random.pick(['a b', '../..', 'x'.repeat(500), '%00', '{}']);
  if (random.chance(0.03)) headers.Accept = random.pick(['text/html', 'x', '*/*;q=x']);
  if (random.chance(0.03)) headers['X-Forwarded-For'] = random.pick(['x', '::1, 1.2.3.4', ','.repeat(50)]);
  if (random.chance(0.03)) headers.Range = 'bytes=0-1';
  if (random.chance(0.03)) headers['If-None-Match'] = '*';
  if (random.chance(0.05))
    headers['Idempotency-Key'] = random.pick(['', 'x', 'x'.repeat(500), '%00', 'k1', 'k2']);
  return headers;
}

function bodyOf(world: ApiData, endpoint: Endpoint, rest: Record<string, unknown>, random: Random) {
  const { delivery, form } = endpoint.route;
  if (form === true && random.chance(0.3))
    return {
      body: new URLSearchParams(
        Object.entries(rest).map(([name, one]): [string, string] => [name, textOf(one)]),
      ).toString(),
    };
  const value = delivery === undefined ? rest : deliveryOf(world, endpoint.action, random);
  const whole = random.chance(0.04) ? mutated([value], random) : value;
  const text = JSON.stringify(whole) ?? '';
  return random.chance(0.06) ? { body: mutatedBytes(Buffer.from(text), random) } : { body: text };
}

function deliveryOf(world: ApiData, action: string, random: Random): unknown {
  if (action === 'activitynet-ingest.receive') return mutated(activityEvent(world, random), random);
  const found = random.pick(typeCases);
  const items = found
    .items(random.pick(world.accounts))
    .slice(0, 3)
    .map((item) => trimmed(item));
  const isPing = action === 'devicemaker-ingest.ping';
  const callbackURL = () => `http://127.0.0.1:9/wellness-api/rest/${found.type}?token=${random.below(99)}`;
  const sent = isPing ? items.map(({ userId }) => ({ userId, callbackURL: callbackURL() })) : items;
  const special = {
    userPermissionsChange: [
      { userId: world.accounts[0], permissions: ['HEALTH_EXPORT'], changeTimeInSeconds: 1 },
    ],
  };
  const body = { [random.pick(found.spellings)]: sent, ...(random.chance(0.1) ? special : {}) };
  return random.chance(0.1) ? body : mutated(body, random);
}

function activityEvent(world: ApiData, random: Random) {
  return {
    aspect_type: random.pick(['create', 'update', 'delete']),
    event_time: 1_750_000_000 + random.below(1000),
    object_id: random.below(100),
    object_type: random.pick(['activity', 'activity', 'athlete']),
    owner_id: random.pick(world.athletes),
    subscription_id: 1,
    updates: random.chance(0.5) ? {} : { title: 'x', private: 'true' },
  };
}

// Maps of a thousand samples say no more than one of twenty, and cost fifty times as much.
function trimmed(value: unknown): Record<string, unknown> {
  const small = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.slice(0, 20).map(small);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(
      Object.entries(inner)
        .slice(0, 60)
        .map(([key, one]) => [key, small(one)]),
    );
  };
  return Object(small(value));
}

// Requests that ordinary clients do not send.
function odd(request: Mutant, random: Random): Mutant {
  switch (random.below(7)) {
    case 0:
      return {
        ...request,
        method: random.pick(['PUT', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND']),
      };
    case 1:
      return {
        ...request,
        path: request.path.replace('/api/v1', random.pick(['', '/api', '/api/v1/', '/API/V1', '//api/v1'])),
      };
    case 2:
      return {
        ...request,
        headers: { ...request.headers, 'Content-Encoding': random.pick(['gzip', 'br', 'deflate', 'x']) },
      };
    case 3:
      return {
        ...request,
        headers: { ...request.headers, 'Content-Encoding': 'gzip' },
        body: gzipSync(request.body ?? Buffer.alloc(2_000_000)),
      };
    case 4:
      return { ...request, body: deep(10 ** (1 + random.below(5)), random) };
    case 5:
      return {
        ...request,
        path: `${request.path}/${encodeURIComponent(random.pick(hostileTexts).toWellFormed())}`,
      };
    default:
      return {
        ...request,
        path: `${request.path}${random.pick(['/', '//', '/.', '%2f', '?', '?#', ';x=1', '%00'])}`,
      };
  }
}

function deep(depth: number, random: Random): string {
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"dailies":[', ']}'],
  ]);
  return `${open.repeat(depth)}1${random.chance(0.7) ? close.repeat(depth) : ''}`;
}
