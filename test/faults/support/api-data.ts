import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Database } from '../../../mixins/database/database.ts';
import { ensureFirstDeveloper } from '../../../services/auth/work/operator-accounts.ts';
import { activity } from '../../fixtures/devicemaker/activities.ts';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { type Ask, ask, developer } from '../../support/api.ts';
import type { ApiData } from './requests.ts';

/** Creates the first developer. */
export function makeDeveloper(database: Database): Promise<unknown> {
  return ensureFirstDeveloper(database, { ADMIN_EMAIL: developer.email, ADMIN_PASSWORD: developer.password });
}

/** Sends a request and parses the answer. @throws Error if the status is not a success */
export async function get<T>(
  origin: string,
  path: string,
  schema: z.ZodType<T>,
  given: Ask = {},
): Promise<T> {
  const answer = await ask(origin, `/api/v1${path}`, given);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
  return schema.parse(answer.body);
}

/** Logs in and makes a key. */
export async function credentialsOf(origin: string): Promise<{ token: string; key: string }> {
  const { access_token: token } = await get(origin, '/auth/login', z.object({ access_token: z.string() }), {
    body: developer,
  });
  const made = await get(origin, '/api-keys', z.object({ id: z.string(), key: z.string() }), {
    token,
    body: { name: 'Faults' },
  });
  return { token, key: made.key };
}

const Id = z.object({ id: z.string() });

/** A user who is connected to an account of the device maker. */
export async function createConnectedUser(origin: string, key: string, account: string): Promise<string> {
  const { id } = await get(origin, '/users', Id, { key, body: { external_user_id: account } });
  const body = { provider: 'devicemaker', provider_user_id: account };
  await get(origin, `/users/${id}/connections`, z.unknown(), { key, body });
  return id;
}

const athlete = 4242;

async function several<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let i = 0; i < count; i++) made.push(await make());
  return made;
}

/** Users with data, credentials of every kind, and ids of objects that may be changed and deleted. */
export async function createApiData(origin: string): Promise<ApiData> {
  const { token, key } = await credentialsOf(origin);
  const account = randomUUID();
  const user = await createConnectedUser(origin, key, account);
  const link = {
    provider: 'activitynet',
    provider_user_id: String(athlete),
    access_token: 'a',
    refresh_token: 'r',
  };
  await get(origin, `/users/${user}/connections`, z.unknown(), { key, body: link });
  const victims = await several(30, () => get(origin, '/users', Id, { key, body: {} }));
  const keys = await several(5, () => get(origin, '/api-keys', Id, { token, body: {} }));
  const App = z.object({ app_id: z.string() });
  const apps = await several(5, () => get(origin, '/applications', App, { token, body: { name: 'x' } }));
  const body = { dailies: [daily(account)], activities: [activity(account)] };
  await get(origin, '/webhooks/devicemaker/push', z.unknown(), {
    body,
    headers: { 'devicemaker-client-id': 'faults' },
  });
  const sdk = await get(origin, `/users/${user}/token`, z.object({ access_token: z.string() }), {
    token,
    method: 'POST',
  });
  const times = [
    '2025-06-01',
    '2025-06-03',
    '2025-06-02T22:00:00Z',
    '2025-06-04T00:00:00 02:00',
    1_748_900_000,
    '1748995200000',
  ];
  return {
    origin,
    credentials: [
      ...Array.from({ length: 6 }, () => ({ 'X-API-Key': key })),
      ...Array.from({ length: 6 }, () => ({ Authorization: `Bearer ${token}` })),
      ...[{ Authorization: `Bearer ${sdk.access_token}` }, {}],
      ...[{ Authorization: 'Basic eDp5' }, { Authorization: `Bearer ${token.slice(0, -5)}AAAAA` }],
    ],
    known: new Map<string, unknown[]>([
      ['user_id', [...Array.from({ length: 60 }, () => user), randomUUID()]],
      ['victim_id', [...victims.map(({ id }) => id), randomUUID()]],
      ['key_id', keys.map(({ id }) => id)],
      ['app_id', apps.map(({ app_id }) => app_id)],
      ['provider', ['devicemaker', 'activitynet']],
      ['types', ['heart_rate', 'steps', ['heart_rate', 'steps']]],
      ...['start_time', 'end_time', 'start_date', 'end_date'].map(
        (name) => [name, times] as [string, unknown[]],
      ),
    ]),
    accounts: [account],
    athletes: [athlete],
    heal: async () => {
      for (const body of [link, { provider: 'devicemaker', provider_user_id: account }])
        await ask(origin, `/api/v1/users/${user}/connections`, { key, body });
    },
  };
}
