import t from 'tap';
import { z } from 'zod';
import { jsonSchema, propertiesOf } from '../../services/api-gateway/rules/components.ts';
import { type Endpoint, endpoints } from '../../services/api-gateway/rules/endpoints.ts';
import { createUser, startApi, userToken } from '../support/api.ts';

const api = await startApi(t, {
  ACTIVITYNET_VERIFY_TOKEN: 'verify',
});
const user = await createUser(api);
const Failure = z.object({
  detail: z.string(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })),
});

const nameOf = ({ route }: Endpoint) => `${route.method} ${route.path}`;

t.test('a user is created by an empty object; a missing body and a misspelt field are refused', async (t) => {
  const ask = (body?: unknown) => api.ask('/api/v1/users', { method: 'POST', key: api.apiKey, body });
  t.equal((await ask({})).status, 201);
  t.match((await ask()).body, {
    detail:
      'The body must be a JSON object with any of first_name, last_name, email, external_user_id and time_zone.',
  });
  t.match((await ask({ externalUserId: '42' })).body, {
    detail: 'externalUserId is unknown; the nearest known field is external_user_id.',
    errors: [{ field: 'externalUserId' }],
  });
});

t.test('many or long unknown fields do not make the answer long', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`${'x'.repeat(90)}${n}`, 1]));
  const answer = await api.ask('/api/v1/users', { key: api.apiKey, body: many });
  t.equal(answer.status, 422);
  t.ok(answer.text.length < 8000, `${answer.text.length}`);
  const long = await api.ask('/api/v1/users', { key: api.apiKey, body: { ['y'.repeat(500_000)]: 1 } });
  t.ok(long.status === 422 && long.text.length < 1000);
});

t.test('names of Object.prototype are unknown fields too', async (t) => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const answer = await api.ask('/api/v1/users', { key: api.apiKey, body: `{"${name}": {"a": 1}}` });
    t.match(answer, { status: 422, body: { errors: [{ field: name }] } }, name);
    t.equal((await api.ask(`/api/v1/users?${name}=1`, { key: api.apiKey })).status, 200, name);
  }
});

t.test('a body that is nested very deeply is refused', async (t) => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const body = `{"first_name": ${open.repeat(100_000)}1${close.repeat(100_000)}}`;
    t.equal((await api.ask('/api/v1/users', { key: api.apiKey, body })).status, 422, open);
  }
});

t.test('a webhook body may have unknown fields', async (t) => {
  const headers = { 'devicemaker-client-id': 'x' };
  const body = { dailies: [{ userId: 'nobody', brandNewField: 1 }], brandNewType: [], schemaVersion: 2 };
  t.equal((await api.ask('/api/v1/webhooks/devicemaker/push', { body, headers })).status, 200);
  t.equal((await api.ask('/api/v1/webhooks/devicemaker/ping', { body, headers })).status, 200);
  t.equal((await api.ask('/api/v1/webhooks/activitynet/webhook', { body: { brand_new: 1 } })).status, 200);
});

t.test('a log-in form may carry the fields of OAuth', async (t) => {
  const form = (fields: string) =>
    api.ask('/api/v1/auth/login', {
      body: fields,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  const right = 'username=developer%40example.com&password=a+long+password+of+the+tests';
  t.equal((await form(`${right}&grant_type=password&scope=&client_id=&client_secret=`)).status, 200);
  t.match((await form('userName=x&password=x')).body, { errors: [{ field: 'userName' }] });
});

t.test('a user token gets the error of a misspelt name only for its own user', async (t) => {
  const other = await createUser(api);
  const token = await userToken(api, user);
  t.equal((await api.ask(`/api/v1/users/${other}/timeseries?Limit=1`, { token })).status, 403);
  t.equal((await api.ask(`/api/v1/users/${user}/timeseries?Limit=1`, { token })).status, 422);
});

const providersIn = ({ definition }: Endpoint) =>
  Object.entries(propertiesOf(jsonSchema(definition.params))).filter(([, schema]) =>
    JSON.stringify(schema).includes('"enum":["devicemaker","activitynet"'),
  );
const titles = ['garmin', 'Garmin', 'STRAVA', 'google-health', 'Files'];
const names = ['devicemaker', 'devicemaker', 'activitynet', 'googlehealth', 'file'];

t.test('every parameter that names a provider takes its title, and every answer has the name', async (t) => {
  const offenders = endpoints.flatMap((endpoint) =>
    providersIn(endpoint).flatMap(([name]) => {
      const schema = Reflect.get(Object(Reflect.get(endpoint.definition.params, 'shape')), name);
      const taken = titles.map((title) => parsedBy(schema, title) ?? parsedBy(schema, [title]));
      return JSON.stringify(taken.flat()) === JSON.stringify(names) ? [] : [`${nameOf(endpoint)} ${name}`];
    }),
  );
  t.same(offenders, []);
  t.ok(endpoints.filter((endpoint) => providersIn(endpoint).length > 0).length > 12);

  const made = await createUser(api);
  const link = { provider: 'Garmin', provider_user_id: 'a-title' };
  t.match(await api.expect(201, `/users/${made}/connections`, { body: link }), { provider: 'devicemaker' });
  const listed = await api.expect(200, '/users?provider=garmin');
  t.match(listed, { items: [{ id: made }], total: 1 });
  t.match(await api.expect(200, `/users/${made}/connections/GARMIN`, { method: 'DELETE' }), {
    provider: 'devicemaker',
  });
});

function parsedBy(schema: unknown, value: unknown): unknown {
  if (!(schema instanceof z.ZodType)) return undefined;
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

t.test('an unknown provider is answered with the names and the titles of all', async (t) => {
  const { status, body } = await api.ask('/api/v1/users?provider=fitband', { key: api.apiKey });
  t.equal(status, 422);
  t.match(Failure.parse(body).detail, /^provider must be devicemaker \(Garmin\), activitynet \(Strava\), /);
});

t.test(
  'a path without the prefix, or with the title of a provider, is answered with the right one',
  async (t) => {
    const detailOf = async (path: string) => {
      const { status, body } = await api.ask(path, { key: api.apiKey });
      t.equal(status, 404);
      return z.object({ detail: z.string() }).parse(body).detail;
    };
    t.equal(await detailOf('/users'), 'No such route. The API has /api/v1/users.');
    t.equal(
      await detailOf('/api/users/42/connections?x=1'),
      'No such route. The API has /api/v1/users/42/connections.',
    );
    t.equal(await detailOf('/v1/health'), 'No such route. The API has /api/v1/health.');
    t.equal(
      await detailOf('/api/v1/webhooks/garmin/push'),
      'No such route. The API has /api/v1/webhooks/devicemaker/push.',
    );
    for (const path of ['/nowhere', '/api/v1/nowhere', '//users'])
      t.equal(await detailOf(path), 'No such route.');
  },
);

t.test('an id that is no UUID is answered with the way to find a user by an own id', async (t) => {
  const { status, body } = await api.ask('/api/v1/users/customer-42/connections', { key: api.apiKey });
  t.equal(status, 422);
  t.match(Failure.parse(body).detail, /^user_id must be a UUID\. GET \/api\/v1\/users\?external_user_id=/);
});

t.test('a taken external_user_id is answered with the user who has it', async (t) => {
  const [holder, late] = [await createUser(api, { external_user_id: 'taken' }), await createUser(api)];
  const taken = { detail: `User ${holder} has this external_user_id.`, code: 'EXTERNAL_USER_ID_TAKEN' };
  const body = { external_user_id: 'taken' };
  t.same(await api.expect(409, '/users', { body }), taken);
  t.same(await api.expect(409, `/users/${late}`, { method: 'PATCH', body }), taken);
});
