import t from 'tap';
import { z } from 'zod';
import { type Ask, createUser, push, startApi } from '../support/api.ts';

const api = await startApi(t);
const user = await createUser(api);
const times = 'start_time=2026-01-01&end_time=2026-01-02';
const chart = `/users/${user}/timeseries/chart`;

type Case = [path: string, status: number, field: string, body?: unknown];

/*
 * What routes.test.ts does not derive from the parameters of each route: values that are wrong together, in their sum, or
 * because of what exists. A case with a body is a POST.
 */
const cases: Case[] = [
  ['/users?page=0', 422, 'page'],
  ['/users?limit=1&limit=2', 422, 'limit'],
  ['/users/42', 422, 'user_id'],
  [`/users/${user}/connections`, 422, 'provider_user_id', { provider: 'devicemaker' }],
  [`/users/${user}/connections/activitynet`, 404, ''],
  [`/users/${user}/timeseries?start_time=2026-01-01`, 422, 'end_time'],
  [`/users/${user}/timeseries?start_time=yesterday&end_time=2026-01-02`, 422, 'start_time'],
  [`/users/${user}/timeseries?${times}&types=heart_rate&types=pulse`, 422, 'types.1'],
  [`/users/${user}/events/workouts/7`, 422, 'event_id'],
  [`/users/${user}/events/sleep/7/stages`, 422, 'event_id'],
  [`${chart}?${times}&types=steps&max_points=2001`, 422, 'max_points'],
  [`${chart}?${times}&types=steps&max_points=9`, 422, 'max_points'],
  [`${chart}?start_time=2015-01-01&end_time=2026-01-01&types=steps`, 422, 'end_time'],
  [`/users/${user}/data-calendar?start_date=2016-01-01&end_date=2026-01-01`, 422, 'end_date'],
];

const developerCases: Case[] = [
  ['/developers', 422, 'password', { email: 'a@example.com' }],
  ['/developers', 409, '', { email: 'developer@example.com', password: 'long enough it is' }],
  ['/users/x/token', 422, 'user_id', {}],
];

const openCases: Case[] = [
  ['/auth/login', 422, 'password', { email: 'a@example.com' }],
  ['/auth/login', 422, 'email', { password: 'x' }],
  ['/auth/login', 401, '', { email: 'developer@example.com', password: 'x' }],
  ['/auth/login', 401, '', { email: 'stranger@example.com', password: 'x' }],
  ['/auth/refresh', 422, 'refresh_token', {}],
  ['/auth/refresh', 401, '', { refresh_token: 'rt-x' }],
];

function fieldOf(body: unknown): unknown {
  const errors: unknown = Reflect.get(Object(body), 'errors');
  return Array.isArray(errors) ? Reflect.get(Object(errors[0]), 'field') : '';
}

async function offendersOf(list: readonly Case[], credential: Ask): Promise<string[]> {
  const answers = list.map(async ([path, status, field, body]) => {
    const answer = await api.ask(`/api/v1${path}`, { ...credential, body });
    const { detail } = z.looseObject({ detail: z.string() }).parse(answer.body);
    const isRight = answer.status === status && /^\S.*\.$/.test(detail);
    return isRight && (field === '' || fieldOf(answer.body) === field) ? [] : [`${path}: ${answer.text}`];
  });
  return (await Promise.all(answers)).flat();
}

t.test('wrong input gets its status, a sentence and its field', async (t) => {
  t.strictSame(await offendersOf(cases, { key: api.apiKey }), []);
  t.strictSame(await offendersOf(developerCases, { token: api.developerToken }), []);
  t.strictSame(await offendersOf(openCases, {}), []);
});

t.test('the last developer stays', async (t) => {
  const answer = await api.ask('/api/v1/developers/me', { method: 'DELETE', token: api.developerToken });
  t.match(answer, { status: 422, body: { errors: [{ field: 'developer_id' }] } });
});

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
