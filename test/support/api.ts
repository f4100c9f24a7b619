import { randomUUID } from 'node:crypto';
import type { ServiceSchema } from 'moleculer';
import type { Test } from 'tap';
import { z } from 'zod';
import { gatewayUrl } from '../../services/api-gateway/api-gateway.service.ts';
import { authService } from '../../services/auth/auth.service.ts';
import { loadServices } from '../../stack/processes/services.ts';
import { insertDeveloper } from './developer.ts';
import { startBroker, type TestBroker } from './servers/broker.ts';
import { freshDatabase, type TestDatabase } from './servers/database.ts';

/** One answer with its parsed body; null if there is none. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly text: string;
}

/** The parts of a request besides its path. */
export interface Ask {
  readonly method?: string;
  readonly key?: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The whole product on a database of its own, with a developer and an API key at hand. */
export interface TestApi extends TestBroker {
  readonly url: string;
  readonly database: TestDatabase;
  readonly developerToken: string;
  readonly apiKey: string;
  /** Asks any path below the server's root. */
  ask(path: string, ask?: Ask): Promise<Answer>;
  /** Sends a request below /api/v1 with the API key. @throws Error for another status */
  expect(status: number, path: string, ask?: Ask): Promise<unknown>;
}

/** The developer of the tests. */
export const developer = { email: 'developer@example.com', password: 'a long password of the tests' };

// A hash of the product takes 0.12 s. Its costs are tested with the service alone (test/services/auth/login.test.ts).
const cheapHashes = { log2N: 4, r: 8, p: 1 };

/** Starts every service in one broker, unless `services` names some. */
export async function startApi(t: Test, settings: Readonly<Record<string, string>> = {}): Promise<TestApi> {
  const database = await freshDatabase(t);
  return joinApi(t, {
    database,
    instead: [authService(cheapHashes)],
    settings: { RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_FAILURES: '100000', ...settings },
  });
}

/** The database and bus that another process of the product joins. */
export interface Join {
  readonly database: TestDatabase;
  readonly settings: Readonly<Record<string, string>>;
  readonly services?: readonly string[];
  /** Services that run instead of those with their names. */
  readonly instead?: readonly ServiceSchema[];
  readonly natsUrl?: string;
  readonly namespace?: string;
}

/** Starts services, including the gateway, on an existing database and bus. */
export async function joinApi(
  t: Test,
  { database, settings, services, instead = [], natsUrl, namespace }: Join,
): Promise<TestApi> {
  const loaded = await loadServices(services ?? []);
  const started = await startBroker(t, {
    databaseUrl: database.url,
    services: loaded.map((one) => instead.find(({ name }) => name === one.name) ?? one),
    settings,
    ...(natsUrl === undefined ? {} : { natsUrl }),
    ...(namespace === undefined ? {} : { namespace }),
  });
  const url = gatewayUrl(started.broker);
  await started.broker.waitForServices(['auth', 'users', 'timeseries'], 60_000);
  const { developerToken, apiKey } = await credentials(database, url);
  const expect = async (status: number, path: string, given: Ask = {}) => {
    const answer = await ask(url, `/api/v1${path}`, { key: apiKey, ...given });
    if (answer.status === status) return answer.body;
    const asked = `${given.method ?? 'GET'} ${path}`;
    throw new Error(`${asked}: ${answer.status}, not ${status}: ${answer.text.slice(0, 300)}`);
  };
  return {
    ...started,
    url,
    database,
    developerToken,
    apiKey,
    ask: (path, given) => ask(url, path, given),
    expect,
  };
}

async function credentials(database: TestDatabase, url: string) {
  await insertDeveloper(database, developer);
  const login = await ask(url, '/api/v1/auth/login', { method: 'POST', body: developer });
  const { access_token } = z.object({ access_token: z.string() }).parse(login.body);
  const made = await ask(url, '/api/v1/api-keys', {
    method: 'POST',
    token: access_token,
    body: { name: 'Tests' },
  });
  return { developerToken: access_token, apiKey: z.object({ key: z.string() }).parse(made.body).key };
}

/** Sends one request; a body that is no text or bytes is sent as JSON. */
export async function ask(
  url: string,
  path: string,
  { method, key, token, body, headers = {} }: Ask = {},
): Promise<Answer> {
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(`${url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key === undefined ? {} : { 'X-API-Key': key }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: raw ? new Blob([body]) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const Id = z.object({ id: z.string() });

/** Creates a user; returns the id. */
export async function createUser(api: TestApi, fields: Record<string, unknown> = {}): Promise<string> {
  return Id.parse(await api.expect(201, '/users', { body: fields })).id;
}

/** Creates a user who is connected to an account of the device maker. */
export async function createWearer(
  api: TestApi,
  account: string = randomUUID(),
): Promise<{ userId: string; account: string }> {
  const userId = await createUser(api);
  const body = { provider: 'devicemaker', provider_user_id: account };
  await api.expect(201, `/users/${userId}/connections`, { body });
  return { userId, account };
}

/** A token that reads one user's data. */
export async function userToken(api: TestApi, userId: string): Promise<string> {
  const as = { method: 'POST', token: api.developerToken };
  const answer = await api.ask(`/api/v1/users/${userId}/token`, as);
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.text}`);
  return z.object({ access_token: z.string() }).parse(answer.body).access_token;
}

/** Posts a body to the device maker's push webhook. */
export function push(api: TestApi, body: unknown): Promise<Answer> {
  return api.ask('/api/v1/webhooks/devicemaker/push', {
    body,
    headers: { 'devicemaker-client-id': 'tests' },
  });
}
