import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createUser, push, startApi, type TestApi } from '../support/api.ts';

const api = await startApi(t);
const user = await createUser(api);
const day = 'start_date=2026-01-01&end_date=2026-01-02';
const times = 'start_time=2026-01-01&end_time=2026-01-02';
const long = 'x'.repeat(101);

type Case = [what: string, method: string, path: string, body: unknown, status: number, field: string];

const cases: Case[] = [
  ['a name too long', 'POST', '/users', { first_name: long }, 422, 'first_name'],
  ['a name of another type', 'POST', '/users', { last_name: 7 }, 422, 'last_name'],
  ['an e-mail address that is none', 'POST', '/users', { email: 'nobody' }, 422, 'email'],
  ['an empty external id', 'POST', '/users', { external_user_id: '' }, 422, 'external_user_id'],
  ['page 0', 'GET', '/users?page=0', undefined, 422, 'page'],
  ['a page that is no number', 'GET', '/users?page=x', undefined, 422, 'page'],
  ['limit 0', 'GET', '/users?limit=0', undefined, 422, 'limit'],
  ['limit 101', 'GET', '/users?limit=101', undefined, 422, 'limit'],
  ['a limit twice', 'GET', '/users?limit=1&limit=2', undefined, 422, 'limit'],
  ['an unknown sort field', 'GET', '/users?sort_by=id', undefined, 422, 'sort_by'],
  ['an unknown order', 'GET', '/users?sort_order=up', undefined, 422, 'sort_order'],
  ['a user id that is no UUID', 'GET', '/users/42', undefined, 422, 'user_id'],
  ['a patch of a user id that is no UUID', 'PATCH', '/users/42', {}, 422, 'user_id'],
  ['an unknown user', 'GET', `/users/${randomUUID()}`, undefined, 404, ''],
  ['a patch of an unknown user', 'PATCH', `/users/${randomUUID()}`, { first_name: 'x' }, 404, ''],
  ['a deletion of an unknown user', 'DELETE', `/users/${randomUUID()}`, undefined, 404, ''],
  [
    'an unknown provider',
    'POST',
    `/users/${user}/connections`,
    { provider: 'x', provider_user_id: '1' },
    422,
    'provider',
  ],
  [
    'a connection without an account',
    'POST',
    `/users/${user}/connections`,
    { provider: 'devicemaker' },
    422,
    'provider_user_id',
  ],
  [
    'a connection of an unknown user',
    'POST',
    `/users/${randomUUID()}/connections`,
    { provider: 'devicemaker', provider_user_id: '1' },
    404,
    '',
  ],
  ['connections of an unknown user', 'GET', `/users/${randomUUID()}/connections`, undefined, 404, ''],
  [
    'a disconnect from an unknown provider',
    'DELETE',
    `/users/${user}/connections/x`,
    undefined,
    422,
    'provider',
  ],
  [
    'a disconnect of what is not connected',
    'DELETE',
    `/users/${user}/connections/activitynet`,
    undefined,
    404,
    '',
  ],
  ['samples without a range', 'GET', `/users/${user}/timeseries`, undefined, 422, 'start_time'],
  [
    'samples without an end',
    'GET',
    `/users/${user}/timeseries?start_time=2026-01-01`,
    undefined,
    422,
    'end_time',
  ],
  [
    'a bad time',
    'GET',
    `/users/${user}/timeseries?start_time=yesterday&end_time=2026-01-02`,
    undefined,
    422,
    'start_time',
  ],
  [
    'a day that no calendar has',
    'GET',
    `/users/${user}/timeseries?start_time=2026-02-30&end_time=2026-03-02`,
    undefined,
    422,
    'start_time',
  ],
  [
    'a start after the end',
    'GET',
    `/users/${user}/timeseries?start_time=2026-01-03&end_time=2026-01-01`,
    undefined,
    422,
    'start_time',
  ],
  ['an unknown type', 'GET', `/users/${user}/timeseries?${times}&types=pulse`, undefined, 422, 'types'],
  [
    'an unknown type among known ones',
    'GET',
    `/users/${user}/timeseries?${times}&types=heart_rate&types=pulse`,
    undefined,
    422,
    'types.1',
  ],
  [
    'an unknown resolution',
    'GET',
    `/users/${user}/timeseries?${times}&resolution=2min`,
    undefined,
    422,
    'resolution',
  ],
  ['limit 0 of samples', 'GET', `/users/${user}/timeseries?${times}&limit=0`, undefined, 422, 'limit'],
  ['limit 101 of samples', 'GET', `/users/${user}/timeseries?${times}&limit=101`, undefined, 422, 'limit'],
  ['a limit with a fraction', 'GET', `/users/${user}/timeseries?${times}&limit=1.5`, undefined, 422, 'limit'],
  ['a broken cursor', 'GET', `/users/${user}/timeseries?${times}&cursor=broken`, undefined, 422, 'cursor'],
  ['samples of an unknown user', 'GET', `/users/${randomUUID()}/timeseries?${times}`, undefined, 404, ''],
  ['samples of a bad user id', 'GET', `/users/x/timeseries?${times}`, undefined, 422, 'user_id'],
  ['workouts without a range', 'GET', `/users/${user}/events/workouts`, undefined, 422, 'start_date'],
  [
    'an unknown workout type',
    'GET',
    `/users/${user}/events/workouts?${day}&record_type=chess`,
    undefined,
    422,
    'record_type',
  ],
  [
    'a start after the end of workouts',
    'GET',
    `/users/${user}/events/workouts?start_date=2026-01-03&end_date=2026-01-01`,
    undefined,
    422,
    'start_date',
  ],
  [
    'a broken cursor of workouts',
    'GET',
    `/users/${user}/events/workouts?${day}&cursor=broken`,
    undefined,
    422,
    'cursor',
  ],
  [
    'limit 101 of workouts',
    'GET',
    `/users/${user}/events/workouts?${day}&limit=101`,
    undefined,
    422,
    'limit',
  ],
  ['workouts of an unknown user', 'GET', `/users/${randomUUID()}/events/workouts?${day}`, undefined, 404, ''],
  ['an unknown workout', 'GET', `/users/${user}/events/workouts/${randomUUID()}`, undefined, 404, ''],
  ['a workout id that is no UUID', 'GET', `/users/${user}/events/workouts/7`, undefined, 422, 'event_id'],
  ['counts of an unknown period', 'GET', '/status/received?period=week', undefined, 422, 'period'],
  ['a chart without types', 'GET', `/users/${user}/timeseries/chart?${times}`, undefined, 422, 'types'],
  [
    'a chart of an unknown type',
    'GET',
    `/users/${user}/timeseries/chart?${times}&types=pulse`,
    undefined,
    422,
    'types',
  ],
  [
    'a chart of too many types',
    'GET',
    `/users/${user}/timeseries/chart?${times}&types=${Array(11).fill('steps').join(',')}`,
    undefined,
    422,
    'types',
  ],
  [
    'a chart of too many points',
    'GET',
    `/users/${user}/timeseries/chart?${times}&types=steps&max_points=2001`,
    undefined,
    422,
    'max_points',
  ],
  [
    'a chart of too few points',
    'GET',
    `/users/${user}/timeseries/chart?${times}&types=steps&max_points=9`,
    undefined,
    422,
    'max_points',
  ],
  [
    'a chart with an unknown aggregate',
    'GET',
    `/users/${user}/timeseries/chart?${times}&types=steps&aggregates=median`,
    undefined,
    422,
    'aggregates',
  ],
  [
    'a chart at an unknown resolution',
    'GET',
    `/users/${user}/timeseries/chart?${times}&types=steps&resolution=2min`,
    undefined,
    422,
    'resolution',
  ],
  [
    'a chart of eleven years',
    'GET',
    `/users/${user}/timeseries/chart?start_time=2015-01-01&end_time=2026-01-01&types=steps`,
    undefined,
    422,
    'end_time',
  ],
  [
    'a chart of an unknown user',
    'GET',
    `/users/${randomUUID()}/timeseries/chart?${times}&types=steps`,
    undefined,
    404,
    '',
  ],
  ['a calendar without a range', 'GET', `/users/${user}/data-calendar`, undefined, 422, 'start_date'],
  [
    'a calendar of an unknown kind',
    'GET',
    `/users/${user}/data-calendar?${day}&kinds=naps`,
    undefined,
    422,
    'kinds',
  ],
  [
    'a calendar of an unknown provider',
    'GET',
    `/users/${user}/data-calendar?${day}&providers=x`,
    undefined,
    422,
    'providers',
  ],
  [
    'a calendar with counts that are neither true nor false',
    'GET',
    `/users/${user}/data-calendar?${day}&counts=some`,
    undefined,
    422,
    'counts',
  ],
  [
    'a calendar of ten years',
    'GET',
    `/users/${user}/data-calendar?start_date=2016-01-01&end_date=2026-01-01`,
    undefined,
    422,
    'end_date',
  ],
  ['a calendar of an unknown user', 'GET', `/users/${randomUUID()}/data-calendar?${day}`, undefined, 404, ''],
  ['sleep without a range', 'GET', `/users/${user}/events/sleep`, undefined, 422, 'start_date'],
  [
    'a broken cursor of sleep',
    'GET',
    `/users/${user}/events/sleep?${day}&cursor=x`,
    undefined,
    422,
    'cursor',
  ],
  ['sleep of an unknown user', 'GET', `/users/${randomUUID()}/events/sleep?${day}`, undefined, 404, ''],
  [
    'stages of an unknown sleep session',
    'GET',
    `/users/${user}/events/sleep/${randomUUID()}/stages`,
    undefined,
    404,
    '',
  ],
  ['stages of no UUID', 'GET', `/users/${user}/events/sleep/7/stages`, undefined, 422, 'event_id'],
  ['an unknown sleep session', 'GET', `/users/${user}/events/sleep/${randomUUID()}`, undefined, 404, ''],
];

const developerCases: Case[] = [
  ['a key name too long', 'POST', '/api-keys', { name: long }, 422, 'name'],
  ['a key name of another type', 'POST', '/api-keys', { name: null }, 422, 'name'],
  ['a rename without a name', 'PATCH', `/api-keys/${randomUUID()}`, {}, 422, 'name'],
  ['an unknown key', 'PATCH', `/api-keys/${randomUUID()}`, { name: 'x' }, 404, ''],
  ['a key that is no UUID', 'DELETE', '/api-keys/nothing', undefined, 404, ''],
  ['a rotation of an unknown key', 'POST', `/api-keys/sk-${'0'.repeat(32)}/rotate`, undefined, 404, ''],
  ['an application without a name', 'POST', '/applications', {}, 422, 'name'],
  ['an unknown application', 'DELETE', '/applications/app_0', undefined, 404, ''],
  ['a developer without a password', 'POST', '/developers', { email: 'a@example.com' }, 422, 'password'],
  [
    'a developer with a short password',
    'POST',
    '/developers',
    { email: 'a@example.com', password: 'short' },
    422,
    'password',
  ],
  [
    'a developer who is there',
    'POST',
    '/developers',
    { email: 'developer@example.com', password: 'long enough it is' },
    409,
    '',
  ],
  ['an unknown developer', 'DELETE', `/developers/${randomUUID()}`, undefined, 404, ''],
  ['the last developer', 'DELETE', '/developers/me', undefined, 422, 'developer_id'],
  ['a token for an unknown user', 'POST', `/users/${randomUUID()}/token`, undefined, 404, ''],
  ['a token for a bad user id', 'POST', '/users/x/token', undefined, 422, 'user_id'],
];

const openCases: Case[] = [
  ['a log-in without a password', 'POST', '/auth/login', { email: 'a@example.com' }, 422, 'password'],
  ['a log-in without an address', 'POST', '/auth/login', { password: 'x' }, 422, 'email'],
  ['a wrong password', 'POST', '/auth/login', { email: 'developer@example.com', password: 'x' }, 401, ''],
  ['an unknown developer', 'POST', '/auth/login', { email: 'stranger@example.com', password: 'x' }, 401, ''],
  ['a refresh without a token', 'POST', '/auth/refresh', {}, 422, 'refresh_token'],
  ['a refresh without a body', 'POST', '/auth/refresh', undefined, 422, 'refresh_token'],
  ['an unknown refresh token', 'POST', '/auth/refresh', { refresh_token: 'rt-x' }, 401, ''],
];

function fieldOf(body: unknown): unknown {
  const errors: unknown = Reflect.get(Object(body), 'errors');
  return Array.isArray(errors) ? Reflect.get(Object(errors[0]), 'field') : '';
}

function walk(name: string, list: readonly Case[], credential: (api: TestApi) => object) {
  t.test(name, async (t) => {
    for (const [what, method, path, body, status, field] of list) {
      const answer = await api.ask(`/api/v1${path}`, { method, body, ...credential(api) });
      t.equal(answer.status, status, `${what}: ${answer.text}`);
      t.match(answer.body, { detail: /^\S.*\.$/ }, `${what} is told in a sentence: ${answer.text}`);
      if (field !== '') t.equal(fieldOf(answer.body), field, what);
    }
  });
}

walk('wrong input with an API key gets its status, a sentence and its field', cases, ({ apiKey }) => ({
  key: apiKey,
}));
walk(
  'wrong input of a developer gets its status, a sentence and its field',
  developerCases,
  ({ developerToken }) => ({ token: developerToken }),
);
walk('wrong input of a stranger gets its status, a sentence and its field', openCases, () => ({}));

t.test('a missing value and a value of the wrong type have different errors', async (t) => {
  const of = async (body: unknown) => (await api.ask('/api/v1/auth/login', { body })).body;
  t.match(await of({ email: 'a@example.com' }), { errors: [{ field: 'password', message: 'is required' }] });
  t.match(await of({ email: 'a@example.com', password: 7 }), {
    errors: [{ field: 'password', message: 'must be text' }],
  });
});

t.test('refused requests write nothing', async (t) => {
  const list = await api.ask('/api/v1/users', { key: api.apiKey });
  t.match(list.body, { total: 1, items: [{ id: user }] });
  t.match((await api.ask('/api/v1/applications', { token: api.developerToken })).body, []);
});

t.test('webhooks: no header, another body', async (t) => {
  const path = '/api/v1/webhooks/devicemaker/push';
  const headers = { 'devicemaker-client-id': 'tests' };
  const missing = await api.ask(path, { body: {} });
  t.equal(missing.status, 401);
  t.same(missing.body, { detail: 'Missing devicemaker-client-id header', code: 'WEBHOOK_CLIENT_MISSING' });
  t.equal((await api.ask(path, { body: '{', headers })).status, 400);
  t.equal((await api.ask(path, { body: '', method: 'POST', headers })).status, 400);
  t.equal((await api.ask(path, { body: '[]', headers })).status, 422);
  t.equal(
    (await api.ask(path, { body: '{}', headers: { ...headers, 'Content-Type': 'text/xml' } })).status,
    415,
  );
  t.equal((await api.ask(path, { method: 'GET', headers })).status, 405);
  for (const body of [
    {},
    { activities: [] },
    { activities: 'x' },
    { activities: null },
    { activities: [null, 7, 'x', [], {}] },
    { unknown: [{}] },
    { dailies: [{ userId: 7 }] },
  ]) {
    const answer = await push(api, body);
    t.equal(answer.status, 200, JSON.stringify(body));
    t.match(
      answer.body,
      {
        processed: Number,
        saved: 0,
        errors: Array,
        activities: Array,
        wellness: Object,
        backfill_chained: [],
      },
      JSON.stringify(body),
    );
  }
});
