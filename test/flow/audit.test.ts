import t from 'tap';
import { z } from 'zod';
import { createUser, startApi, userToken } from '../support/api.ts';

const api = await startApi(t);
const Trail = z.object({
  data: z.array(
    z.object({
      at: z.string(),
      actor: z.string().nullable(),
      action: z.string(),
      subject_id: z.string(),
      subject_name: z.string().nullable(),
      user_id: z.string().nullable(),
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
});

t.test('tokens that were issued are listed by the user whom they read', async (t) => {
  const user = await createUser(api);
  await userToken(api, user);
  const app = Made.parse((await api.ask('/api/v1/applications', { ...as, body: { name: 'Tablet' } })).body);
  const body = { app_id: app.app_id, app_secret: app.app_secret };
  t.equal((await api.ask(`/api/v1/users/${user}/token`, { body })).status, 200);
  const { data, pagination } = await trail(`user_id=${user}`);
  t.same(
    data.map(({ action, actor, user_id }) => [action, actor, user_id]),
    [
      ['token.issued', `app:${app.app_id}`, user],
      ['token.issued', `admin:${me}`, user],
    ],
  );
  t.equal(pagination.total_count, 2);
});

t.test('a request that fails leaves nothing, using a key leaves nothing', async (t) => {
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

t.test('a change by hand leaves an entry too, without an actor', async (t) => {
  await api.database.query(
    "insert into auth.application (app_id, secret_hash, name) values ('app_x', 'x', 'By hand')",
  );
  t.match((await trail('limit=1')).data, [
    { action: 'application.created', actor: null, subject_name: 'By hand' },
  ]);
});
