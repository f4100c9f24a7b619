import { randomUUID } from 'node:crypto';
import t from 'tap';
import { type Endpoint, endpoints } from '../../services/api-gateway/endpoints.ts';
import { createUser, startApi, userToken } from '../support/api.ts';

const api = await startApi(t);
const user = await createUser(api);
const other = await createUser(api);
const token = await userToken(api, user);

const guarded = endpoints.filter(
  ({ route }) => !route.access.includes('public') && !route.access.includes('webhook'),
);
const values: Readonly<Record<string, string>> = { user_id: other, provider: 'devicemaker' };

function pathOf({ route }: Endpoint): string {
  return `/api/v1${route.path.replace(/:([a-z_]+)/g, (_, name: string) => values[name] ?? randomUUID())}`;
}

function ask(
  endpoint: Endpoint,
  credential: { key?: string; token?: string; headers?: Record<string, string> },
) {
  const { method } = endpoint.route;
  return api.ask(pathOf(endpoint), {
    method,
    ...(method === 'POST' || method === 'PATCH' ? { body: {} } : {}),
    ...credential,
  });
}

t.test('there are routes of every kind to walk', async (t) => {
  t.ok(guarded.length > 25);
  for (const who of ['api-key', 'developer', 'sdk'] as const)
    t.ok(
      guarded.some(({ route }) => route.access.includes(who)),
      who,
    );
});

for (const endpoint of guarded) {
  const { route } = endpoint;
  t.test(`${route.method} ${route.path} lets in whom the contract names, and nobody else`, async (t) => {
    const none = await ask(endpoint, {});
    t.equal(none.status, 401, 'without a credential');
    t.equal(none.headers.get('www-authenticate'), 'Bearer');
    t.match(none.body, { detail: /\w/ });
    t.equal((await ask(endpoint, { token: 'nonsense' })).status, 401, 'with nonsense');
    t.equal(
      (await ask(endpoint, { token: `${token.slice(0, -4)}AAAA` })).status,
      401,
      'with a token of a broken signature',
    );
    t.equal((await ask(endpoint, { key: `sk-${'0'.repeat(32)}` })).status, 401, 'with a key that nobody has');
    t.equal((await ask(endpoint, { token })).status, 403, "with another user's token");
    if (!route.access.includes('api-key'))
      t.equal((await ask(endpoint, { key: api.apiKey })).status, 403, 'with an API key');
  });
}

t.test('a token is not issued for an API key, nor for a user token', async (t) => {
  const path = `/api/v1/users/${user}/token`;
  t.equal((await api.ask(path, { method: 'POST', key: api.apiKey })).status, 403);
  t.equal((await api.ask(path, { method: 'POST', token })).status, 403);
  t.equal((await api.ask(path, { method: 'POST', token: 'nonsense' })).status, 401);
  t.equal((await api.ask(path, { method: 'POST' })).status, 400);
  t.equal((await api.ask(path, { body: { app_id: `app_${'0'.repeat(32)}`, app_secret: 'x' } })).status, 401);
});

t.test('a user token reads its own user, in any case of the id, and changes nothing', async (t) => {
  for (const id of [user, user.toUpperCase()])
    t.equal((await api.ask(`/api/v1/users/${id}`, { token })).status, 200, id);
  t.equal(
    (await api.ask(`/api/v1/users/${user}/timeseries?start_time=2026-01-01&end_time=2026-01-02`, { token }))
      .status,
    200,
  );
  t.equal(
    (await api.ask(`/api/v1/users/${user}`, { method: 'PATCH', token, body: { first_name: 'x' } })).status,
    403,
  );
  t.equal((await api.ask(`/api/v1/users/${user}`, { method: 'DELETE', token })).status, 403);
});

t.test('a stale Authorization header does no harm on log-in and refresh', async (t) => {
  const headers = { Authorization: 'Bearer stale' };
  t.equal(
    (
      await api.ask('/api/v1/auth/login', {
        body: { email: 'developer@example.com', password: 'a long password of the tests' },
        headers,
      })
    ).status,
    200,
  );
  t.equal(
    (await api.ask('/api/v1/auth/refresh', { body: { refresh_token: 'rt-unknown' }, headers })).status,
    401,
  );
  t.equal((await api.ask('/api/v1/health', { headers })).status, 200);
});
