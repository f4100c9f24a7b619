import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { createUser, joinApi, startApi } from '../support/api.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

const Key = z.object({ id: z.string(), key: z.string().regex(/^sk-[0-9a-f]{32}$/), name: z.string() });
const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.literal(3600),
});

t.test('every gateway refuses an old key as soon as its rotation is answered', async (t) => {
  const database = await freshDatabase(t);
  const join = { database, natsUrl: natsUrl(), namespace: randomUUID(), settings: {} };
  const one = await joinApi(t, join);
  const two = await joinApi(t, { ...join, services: ['api-gateway', 'auth'] });
  let key = Key.parse(
    (await one.ask('/api/v1/api-keys', { token: one.developerToken, body: { name: 'Turning' } })).body,
  );
  for (let turn = 0; turn < 10; turn += 1) {
    const asking = Array.from({ length: 8 }, (_, i) =>
      (i % 2 ? one : two).ask('/api/v1/users?limit=1', { key: key.key }),
    );
    const rotated = Key.parse(
      (
        await one.ask(`/api/v1/api-keys/${turn % 2 ? key.id : key.key}/rotate`, {
          method: 'POST',
          token: one.developerToken,
        })
      ).body,
    );
    t.same([rotated.name, rotated.id === key.id], ['Turning', false]);
    const after = await Promise.all(
      [one, two, one, two].map((api) => api.ask('/api/v1/users?limit=1', { key: key.key })),
    );
    t.same(
      after.map(({ status }) => status),
      [401, 401, 401, 401],
    );
    await Promise.all(asking);
    key = rotated;
  }
  for (const api of [one, two]) t.equal((await api.ask('/api/v1/users', { key: key.key })).status, 200);
  const list = await one.ask('/api/v1/api-keys', { token: one.developerToken });
  t.notMatch(list.text, /sk-[0-9a-f]{8}/, 'a list never shows a key');
});

const api = await startApi(t);

t.test('a key is listed with its name and last use until it is deleted; then it is invalid', async (t) => {
  const made = Key.parse(
    (await api.ask('/api/v1/api-keys', { method: 'POST', token: api.developerToken })).body,
  );
  t.equal(made.name, 'Default');
  t.equal((await api.ask('/api/v1/users', { key: made.key })).status, 200);
  const Listed = z.array(z.object({ id: z.string(), last_used_at: z.string().nullable() }));
  const listed = Listed.parse((await api.ask('/api/v1/api-keys', { token: api.developerToken })).body);
  t.match(listed.find(({ id }) => id === made.id)?.last_used_at, /^\d{4}-/);
  t.equal(
    (await api.ask(`/api/v1/api-keys/${made.id}`, { method: 'DELETE', token: api.developerToken })).status,
    200,
  );
  t.equal((await api.ask('/api/v1/users', { key: made.key })).status, 401);
  t.equal(
    (await api.ask(`/api/v1/api-keys/${made.id}`, { method: 'DELETE', token: api.developerToken })).status,
    404,
  );
});

t.test('an application obtains tokens for its users; of 50 refreshes at once one succeeds', async (t) => {
  const user = await createUser(api);
  const App = z.object({
    app_id: z.string().regex(/^app_[0-9a-f]{32}$/),
    app_secret: z.string().regex(/^secret_[0-9a-f]{64}$/),
  });
  const app = App.parse(
    (await api.ask('/api/v1/applications', { token: api.developerToken, body: { name: 'Phone' } })).body,
  );
  const issued = Tokens.parse((await api.ask(`/api/v1/users/${user}/token`, { body: app })).body);
  t.equal((await api.ask(`/api/v1/users/${user}`, { token: issued.access_token })).status, 200);
  const refresh = (refresh_token: string) => api.ask('/api/v1/auth/refresh', { body: { refresh_token } });
  const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(issued.refresh_token)));
  const won = answers.filter(({ status }) => status === 200);
  t.equal(won.length, 1);
  t.equal(answers.filter(({ status }) => status === 401).length, 49);
  const renewed = Tokens.parse(won[0]?.body);
  t.equal(
    (await api.ask(`/api/v1/users/${user}`, { token: renewed.access_token })).status,
    200,
    'a double click ends nothing',
  );
  const next = Tokens.parse((await refresh(renewed.refresh_token)).body);
  t.equal((await api.ask(`/api/v1/users/${user}`, { token: next.access_token })).status, 200);
  await api.database.query(
    "update auth.refresh_token set consumed_at = consumed_at - interval '61 seconds' where consumed_at is not null",
  );
  t.equal((await refresh(issued.refresh_token)).status, 401, 'one that comes back a minute later');
  t.equal((await refresh(next.refresh_token)).status, 401, 'ends its whole family');
  t.equal(
    (await api.ask(`/api/v1/users/${user}`, { token: next.access_token })).status,
    401,
    'the access token too',
  );
});

t.test('a developer logs in by JSON and by form, and refreshes', async (t) => {
  const form = await api.ask('/api/v1/auth/login', {
    body: 'username=developer%40example.com&password=a+long+password+of+the+tests',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  const tokens = Tokens.parse(form.body);
  t.match((await api.ask('/api/v1/auth/me', { token: tokens.access_token })).body, {
    email: 'developer@example.com',
  });
  const renewed = Tokens.parse(
    (await api.ask('/api/v1/auth/refresh', { body: { refresh_token: tokens.refresh_token } })).body,
  );
  t.equal((await api.ask('/api/v1/auth/me', { token: renewed.access_token })).status, 200);
});

t.test('a deleted user, their tokens and their data are unavailable at once', async (t) => {
  const user = await createUser(api, { first_name: 'Gone', external_user_id: 'gone-1' });
  const tokens = Tokens.parse(
    (await api.ask(`/api/v1/users/${user}/token`, { method: 'POST', token: api.developerToken })).body,
  );
  t.match(await api.expect(200, `/users/${user}`, { method: 'DELETE' }), { id: user, first_name: 'Gone' });
  for (const path of [
    '',
    '/connections',
    '/timeseries?start_time=2026-01-01&end_time=2026-01-02',
    '/events/sleep?start_date=2026-01-01&end_date=2026-01-02',
  ])
    await api.expect(404, `/users/${user}${path}`);
  t.equal((await api.ask(`/api/v1/users/${user}`, { token: tokens.access_token })).status, 401);
  t.equal(
    (await api.ask('/api/v1/auth/refresh', { body: { refresh_token: tokens.refresh_token } })).status,
    401,
  );
  t.match(await api.expect(200, '/users?search=gone'), { total: 0, items: [] });
  await api.expect(201, '/users', { body: { external_user_id: 'gone-1' } });
});
