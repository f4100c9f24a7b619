import t from 'tap';
import { createUser, developer, startApi, userToken } from '../support/api.ts';

const api = await startApi(t);
const user = await createUser(api);
const token = await userToken(api, user);

t.test('a malformed key gets the name of the header, and counts like an unknown one', async (t) => {
  const of = (headers: Record<string, string>) => api.ask('/api/v1/users', { headers });
  const authorization = `Basic ${Buffer.from(`${api.apiKey}:`).toString('base64')}`;
  const first = await of({ authorization });
  t.equal(first.status, 401);
  t.match(first.body, { detail: /scheme Basic, .* `X-API-Key: <key>` or `Authorization: Bearer <key>`/ });
  t.equal(first.headers.get('www-authenticate'), 'Bearer');
  t.match((await of({ authorization: api.apiKey })).body, { detail: /no scheme/ });
  t.match((await of({})).body, { detail: /^A credential is required. Send an API key as/ });
  const second = await of({ authorization });
  const left = [first, second].map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  t.ok((left[1] ?? 0) < (left[0] ?? 0), `${left}`);
  t.equal((await of({ authorization: `Bearer ${api.apiKey}` })).status, 200);
});

t.test('a user token reads its own user in any case of the id', async (t) => {
  for (const id of [user, user.toUpperCase()])
    t.equal((await api.ask(`/api/v1/users/${id}`, { token })).status, 200, id);
});

t.test('log-in and refresh ignore an invalid Authorization header', async (t) => {
  const headers = { Authorization: 'Bearer stale' };
  t.equal((await api.ask('/api/v1/auth/login', { body: developer, headers })).status, 200);
  t.equal(
    (await api.ask('/api/v1/auth/refresh', { body: { refresh_token: 'rt-unknown' }, headers })).status,
    401,
  );
  t.equal((await api.ask('/api/v1/health', { headers })).status, 200);
});

t.test('revocation accepts a form and ignores an invalid Authorization header', async (t) => {
  const mine = await userToken(api, user);
  const body = new URLSearchParams({ token: mine, token_type_hint: 'access_token' }).toString();
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  t.equal((await api.ask(`/api/v1/users/${user}`, { token: mine })).status, 200);
  const answer = await api.ask('/api/v1/auth/revoke', {
    body,
    headers: { ...type, Authorization: 'Bearer stale' },
  });
  t.strictSame([answer.status, answer.body], [200, {}]);
  t.equal((await api.ask(`/api/v1/users/${user}`, { token: mine })).status, 401);
  t.equal((await api.ask(`/api/v1/users/${user}`, { token })).status, 200, 'another token of the user');
});
