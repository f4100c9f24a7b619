import t from 'tap';
import { z } from 'zod';
import { createUser, joinApi, startApi, userToken } from '../support/api.ts';

const api = await startApi(t);
const Trail = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      at: z.string(),
      actor: z.string().nullable(),
      action: z.string(),
      subject_id: z.string().nullable(),
      subject_name: z.string().nullable(),
      user_id: z.string().nullable(),
      request_id: z.string().nullable(),
      details: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
  pagination: z.object({
    next_cursor: z.string().nullable(),
    previous_cursor: z.string().nullable(),
    total_count: z.int(),
  }),
});
const as = { token: api.developerToken };
const trail = async (query = '') => Trail.parse((await api.ask(`/api/v1/audit?${query}`, as)).body);
const me = z.object({ id: z.string() }).parse((await api.ask('/api/v1/auth/me', as)).body).id;
const Made = z.object({ id: z.string(), app_id: z.string().optional(), app_secret: z.string().optional() });

t.test('each change of keys, applications and accounts leaves one entry with its actor', async (t) => {
  const before = (await trail()).pagination.total_count;
  const key = Made.parse((await api.ask('/api/v1/api-keys', { ...as, body: { name: 'One' } })).body);
  await api.ask(`/api/v1/api-keys/${key.id}`, { ...as, method: 'PATCH', body: { name: 'Two' } });
  const rotated = Made.parse(
    (await api.ask(`/api/v1/api-keys/${key.id}/rotate`, { ...as, method: 'POST' })).body,
  );
  await api.ask(`/api/v1/api-keys/${rotated.id}`, { ...as, method: 'DELETE' });
  const app = Made.parse((await api.ask('/api/v1/applications', { ...as, body: { name: 'Phone' } })).body);
  await api.ask(`/api/v1/applications/${app.app_id}/rotate-secret`, { ...as, method: 'POST' });
  await api.ask(`/api/v1/applications/${app.app_id}`, { ...as, method: 'DELETE' });
  const other = Made.parse(
    (
      await api.ask('/api/v1/developers', {
        ...as,
        body: { email: 'other@example.com', password: 'long enough it is' },
      })
    ).body,
  );
  await api.ask(`/api/v1/developers/${other.id}`, { ...as, method: 'DELETE' });
  const { data, pagination } = await trail('limit=100');
  t.equal(pagination.total_count, before + 9);
  t.same(
    data.slice(0, 9).map(({ action, subject_id, subject_name }) => [action, subject_id, subject_name]),
    [
      ['developer.deleted', other.id, null],
      ['developer.created', other.id, null],
      ['application.deleted', app.id, 'Phone'],
      ['application.secret_rotated', app.id, 'Phone'],
      ['application.created', app.id, 'Phone'],
      ['api_key.deleted', rotated.id, 'Two'],
      ['api_key.rotated', rotated.id, 'Two'],
      ['api_key.renamed', key.id, 'Two'],
      ['api_key.created', key.id, 'One'],
    ],
  );
  t.ok(data.slice(0, 9).every(({ actor }) => actor === `admin:${me}`));
  t.equal(new Set(data.slice(0, 9).map(({ request_id }) => request_id)).size, 9, 'each of its own request');
});

t.test('the audit lists issued tokens by user', async (t) => {
  const user = await createUser(api);
  await userToken(api, user);
  const app = Made.parse((await api.ask('/api/v1/applications', { ...as, body: { name: 'Tablet' } })).body);
  const body = { app_id: app.app_id, app_secret: app.app_secret };
  t.equal((await api.ask(`/api/v1/users/${user}/token`, { body })).status, 200);
  const { data, pagination } = await trail(`user_id=${user}&action=token.issued`);
  t.same(
    data.map(({ action, actor, user_id }) => [action, actor, user_id]),
    [
      ['token.issued', `app:${app.app_id}`, user],
      ['token.issued', `admin:${me}`, user],
    ],
  );
  t.equal(pagination.total_count, 2);
});

t.test('failed requests and the use of a key leave no entry', async (t) => {
  const before = (await trail()).pagination.total_count;
  await api.ask('/api/v1/api-keys/00000000-0000-4000-8000-000000000000', { ...as, method: 'DELETE' });
  await api.ask('/api/v1/developers', {
    ...as,
    body: { email: 'developer@example.com', password: 'long enough it is' },
  });
  await api.expect(200, '/users');
  t.equal((await trail()).pagination.total_count, before);
});

t.test('pages both ways, and refuses a cursor of another query', async (t) => {
  const first = await trail('limit=4');
  const second = await trail(`limit=4&cursor=${first.pagination.next_cursor}`);
  const back = await trail(`limit=4&cursor=${second.pagination.previous_cursor}`);
  t.same(back.data, first.data);
  t.notSame(second.data, first.data);
  const user = await createUser(api);
  t.equal(
    (await api.ask(`/api/v1/audit?user_id=${user}&cursor=${first.pagination.next_cursor}`, as)).status,
    422,
  );
});

t.test('a manual change in the database leaves an entry without an actor', async (t) => {
  await api.database.query(
    "insert into auth.application (app_id, secret_hash, name) values ('app_x', 'x', 'By hand')",
  );
  t.match((await trail('limit=1')).data, [
    { action: 'application.created', actor: null, subject_name: 'By hand' },
  ]);
});

t.test('an export leaves an entry before its first line; that of an unknown user leaves none', async (t) => {
  const user = await createUser(api);
  const headers = { 'X-Request-Id': 'audited-export-1' };
  t.equal((await api.ask(`/api/v1/users/${user}/export`, { key: api.apiKey, headers })).status, 200);
  const token = await userToken(api, user);
  await api.ask(`/api/v1/users/${user}/export`, { token });
  const { data } = await trail(`action=user.exported&user_id=${user}`);
  const [own, byKey] = data;
  t.match(byKey, { actor: /^api_key:[0-9a-f-]{36}$/, subject_id: user, request_id: 'audited-export-1' });
  t.match(own, { actor: `user:${user}`, details: { route: '/users/:user_id/export' } });
  const nobody = '00000000-0000-4000-8000-00000000000a';
  t.equal((await api.ask(`/api/v1/users/${nobody}/export`, { key: api.apiKey })).status, 404);
  t.same((await trail(`user_id=${nobody}`)).data, []);
});

t.test('nothing is exported if its entry cannot be written', async (t) => {
  const user = await createUser(api, { first_name: 'Unseen' });
  await api.database.query(
    'alter function auth.record_audit(text, text, text, uuid, uuid, jsonb, text) rename to record_audit_away',
  );
  t.teardown(() => api.database.query('alter function auth.record_audit_away rename to record_audit'));
  const answer = await api.ask(`/api/v1/users/${user}/export`, { key: api.apiKey });
  t.equal(answer.status, 500);
  t.notMatch(answer.text, /Unseen/);
});

t.test('filters by actor, action and time, and refuses invalid ones', async (t) => {
  const all = (await trail('limit=100')).data;
  const byKey = all.find(({ actor }) => actor?.startsWith('api_key:'))?.actor ?? '';
  const at = all[3]?.at ?? '';
  const from = await trail(`start_time=${at}&limit=100`);
  const until = await trail(`end_time=${at}&limit=100`);
  const [total, later, earlier] = [await trail(), from, until].map((one) => one.pagination.total_count);
  t.equal(Number(later) + Number(earlier), total, 'a time splits the trail in two');
  // As text, `…:05Z` follows `…:05.300Z`.
  const sinceAt = (entry: { at: string }) => Date.parse(entry.at) - Date.parse(at);
  t.ok(from.data.length > 0 && from.data.every((entry) => sinceAt(entry) >= 0));
  t.ok(until.data.length > 0 && until.data.every((entry) => sinceAt(entry) < 0));
  const made = await trail(`actor=${byKey}&action=user.exported`);
  t.strictSame(
    made.data,
    all.filter(({ actor, action }) => actor === byKey && action === 'user.exported'),
  );
  t.not(made.data.length, 0);
  const wrong = [`start_time=${at}&end_time=${at}`, 'action=user.unknown', 'start_time=never'];
  for (const query of wrong) t.equal((await api.ask(`/api/v1/audit?${query}`, as)).status, 422, query);
});

t.test('reads of personal data leave entries only with AUDIT_READS', async (t) => {
  const user = await createUser(api);
  await api.expect(200, `/users/${user}`);
  t.same((await trail(`action=user.read`)).data, []);
  const reading = await joinApi(t, { database: api.database, settings: { AUDIT_READS: 'true' } });
  const headers = { 'X-Request-Id': 'audited-read-1' };
  const query = 'start_time=2026-01-01&end_time=2026-01-02';
  await reading.expect(200, `/users/${user}/timeseries?${query}`, { headers });
  await reading.expect(200, '/users');
  await reading.expect(404, `/users/${user}/events/sleep/${user}`);
  const { data } = await trail('action=user.read');
  t.match(data, [
    { user_id: null, details: { route: '/users' } },
    { user_id: user, request_id: 'audited-read-1', details: { route: '/users/:user_id/timeseries' } },
  ]);
  t.equal(data.length, 2);
});
