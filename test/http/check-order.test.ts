import t from 'tap';
import { z } from 'zod';
import { refuseUnstorable } from '../../services/api-gateway/work/body.ts';
import { createUser, startApi, userToken } from '../support/api.ts';
import { refusal } from '../support/refusal.ts';

t.test('an unknown credential counts against its address', async (t) => {
  const api = await startApi(t, { RATE_LIMIT_ADDRESS: '3' });
  const statuses = [];
  for (let i = 0; i < 4; i += 1)
    statuses.push((await api.ask('/api/v1/users', { key: 'sk-unknown' })).status);
  t.same(statuses, [401, 401, 401, 429]);
  t.equal((await api.ask('/docs')).status, 429, 'with everything that has no credential');
});

t.test('the address of a client is taken from trusted proxies only', async (t) => {
  for (const [TRUSTED_PROXIES, expected] of [
    ['', [200, 429]],
    ['127.0.0.1', [200, 200]],
  ] as const) {
    const api = await startApi(t, { TRUSTED_PROXIES, RATE_LIMIT_ADDRESS: '1' });
    const statuses = [];
    for (const address of ['192.0.2.1', '192.0.2.2'])
      statuses.push((await api.ask('/docs', { headers: { 'X-Forwarded-For': address } })).status);
    t.same(statuses, expected, `TRUSTED_PROXIES=${TRUSTED_PROXIES}`);
  }
});

t.test('the checks run in the specified order', async (t) => {
  const api = await startApi(t, { RATE_LIMIT_SDK: '1' });
  const user = await createUser(api);
  const token = await userToken(api, user);
  t.equal((await api.ask(`/api/v1/users/${user}`, { token })).status, 200);
  t.equal((await api.ask('/api/v1/api-keys', { token })).status, 429, '429 before 403');
  const large = await api.ask('/api/v1/users', {
    key: api.apiKey,
    body: 'x'.repeat(1024 * 1024 + 1),
    headers: { 'Content-Type': 'text/plain' },
  });
  t.equal(large.status, 413, '413 before 415');
  t.equal(large.headers.get('connection'), 'close', 'the rest of the body is no request');
  const event = await api.ask('/api/v1/webhooks/activitynet/webhook', {
    body: 'x'.repeat(16 * 1024 + 1),
    headers: { 'Content-Type': 'text/plain' },
  });
  t.equal(event.status, 413, '413 before 415 for webhooks too');
  const small = await api.ask('/api/v1/webhooks/activitynet/webhook', {
    body: 'x',
    headers: { 'Content-Type': 'text/plain' },
  });
  t.equal(small.status, 415);
});

const api = await startApi(t);

t.test('every answer has the headers for browsers', async (t) => {
  const asks = [
    api.ask('/api/v1/health'),
    api.ask('/nowhere'),
    api.ask('/api/v1/users'),
    api.ask('/api/v1/users', { method: 'PUT' }),
    api.ask('/api/v1/users', { method: 'OPTIONS' }),
    api.ask('/api/v1/users', { key: api.apiKey }),
    api.ask('/api/v1/users?limit=0', { key: api.apiKey }),
    api.ask('/api/v1/webhooks/devicemaker/push', { body: {} }),
  ];
  for (const { status, headers } of await Promise.all(asks)) {
    t.equal(headers.get('x-content-type-options'), 'nosniff', String(status));
    t.equal(headers.get('cache-control'), 'no-store', String(status));
    t.equal(headers.get('access-control-allow-origin'), '*', String(status));
    t.match(headers.get('access-control-expose-headers'), 'X-Request-Id', String(status));
  }
});

t.test('X-Error-Code names the failure where several have one status, and pages may read it', async (t) => {
  const user = '00000000-0000-4000-8000-000000000000';
  const asks = ['/nowhere', `/api/v1/users/${user}`, '/api/v1/users?limit=0', '/api/v1/users'];
  const answers = await Promise.all(asks.map((path) => api.ask(path, { key: api.apiKey })));
  const codeIn = (body: unknown) => z.object({ code: z.string().nullable().default(null) }).parse(body).code;
  t.same(
    answers.map(({ body }) => codeIn(body)),
    answers.map(({ headers }) => headers.get('x-error-code')),
    'it stands in the body, too',
  );
  t.same(
    answers.map(({ status, headers }) => [status, headers.get('x-error-code')]),
    [
      [404, 'ROUTE_NOT_FOUND'],
      [404, 'USER_NOT_FOUND'],
      [422, 'VALIDATION_FAILED'],
      [200, null],
    ],
  );
  t.match(answers[0]?.headers.get('access-control-expose-headers'), 'X-Error-Code');
});

t.test('a delivery stores no Authorization header and no cookie', async (t) => {
  const answer = await api.ask('/api/v1/webhooks/devicemaker/push', {
    body: { dailies: [] },
    headers: {
      'devicemaker-client-id': 'tests',
      'User-Agent': 'a sender',
      Authorization: 'Bearer planted-token',
      Cookie: 'session=planted-cookie',
    },
  });
  t.equal(answer.status, 200);
  const rows = await api.database.query<{ headers: object }>('select headers from deliveries.delivery');
  t.match(rows, [{ headers: { 'user-agent': 'a sender' } }]);
  t.notMatch(JSON.stringify(rows), 'planted');
  t.notMatch(JSON.stringify(rows), /authorization|cookie/i);
});

t.test('a body may be nested 17 levels deep and no deeper', async (t) => {
  const nested = (levels: number) => {
    let value: unknown = 'text';
    for (let level = 0; level < levels; level += 1) value = { inner: value };
    return value;
  };
  t.doesNotThrow(() => refuseUnstorable(nested(17)));
  t.throws(() => refuseUnstorable(nested(18)), refusal('VALIDATION_FAILED'));
});
