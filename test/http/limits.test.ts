import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { type Answer, createUser, joinApi, startApi, userToken } from '../support/api.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

function checkRefused(t: Test, { status, headers, body }: Answer, limit: number): void {
  t.equal(status, 429);
  t.match(body, { detail: /Too many requests/ });
  t.match(headers.get('retry-after'), /^([1-9]|[1-5]\d|60)$/);
  t.equal(headers.get('x-ratelimit-limit'), String(limit));
  t.equal(headers.get('x-ratelimit-remaining'), '0');
  const reset = Number(headers.get('x-ratelimit-reset'));
  t.ok(reset > Date.now() / 1000 - 1 && reset < Date.now() / 1000 + 62, 'the window ends within a minute');
  const left = reset - Date.parse(headers.get('date') ?? '') / 1000;
  const retryAfter = Number(headers.get('retry-after'));
  t.ok(Math.abs(retryAfter - Math.min(60, Math.max(1, left))) <= 2, `${retryAfter} of ${left} s`);
}

t.test('request 1001 of an API key within a minute is refused', async (t) => {
  const api = await startApi(t);
  const first = await api.ask('/api/v1/users', { key: api.apiKey });
  t.equal(first.headers.get('x-ratelimit-limit'), '1000');
  t.equal(first.headers.get('x-ratelimit-remaining'), '999');
  const statuses = new Map<number, number>();
  for (let batch = 0; batch < 37; batch += 1) {
    const answers = await Promise.all(
      Array.from({ length: 27 }, () => api.ask('/api/v1/users?limit=1', { key: api.apiKey })),
    );
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  t.same([...statuses], [[200, 999]]);
  checkRefused(t, await api.ask('/api/v1/users', { key: api.apiKey }), 1000);
  t.equal(
    (await api.ask('/api/v1/api-keys', { token: api.developerToken })).status,
    200,
    'another credential has a window of its own',
  );
});

t.test('two gateways and two auth nodes over the bus share one count', async (t) => {
  const database = await freshDatabase(t);
  const join = {
    database,
    natsUrl: natsUrl(),
    namespace: randomUUID(),
    settings: { RATE_LIMIT_API_KEY: '200' },
  };
  const one = await joinApi(t, join);
  const two = await joinApi(t, { ...join, services: ['api-gateway', 'auth'] });
  const asks = Array.from({ length: 260 }, (_, i) =>
    (i % 2 === 0 ? one : two).ask('/api/v1/users?limit=1', { key: one.apiKey }),
  );
  const statuses = (await Promise.all(asks)).map(({ status }) => status);
  t.equal(statuses.filter((status) => status === 200).length, 200);
  t.equal(statuses.filter((status) => status === 429).length, 60);
});

t.test('all tokens of a user share one window, which ends 60 s after its first request', async (t) => {
  const api = await startApi(t, { RATE_LIMIT_SDK: '5' });
  const user = await createUser(api);
  const tokens = [await userToken(api, user), await userToken(api, user)];
  const ask = async (n: number) =>
    (await api.ask(`/api/v1/users/${user}`, { token: tokens[n % 2] ?? '' })).status;
  const statuses = [];
  for (let n = 0; n < 6; n += 1) statuses.push(await ask(n));
  t.same(statuses, [200, 200, 200, 200, 200, 429]);
  await api.database.query("update auth.rate_window set started_at = started_at - interval '61 seconds'");
  t.equal(await ask(0), 200);
});

t.test('failed log-ins count, successful ones do not', async (t) => {
  const api = await startApi(t, { RATE_LIMIT_FAILURES: '3' });
  const login = (password: string) =>
    api.ask('/api/v1/auth/login', { body: { email: 'developer@example.com', password } });
  for (let i = 0; i < 5; i += 1) t.equal((await login('a long password of the tests')).status, 200);
  for (const left of ['2', '1', '0']) {
    const { status, headers } = await login('wrong');
    t.same([status, headers.get('x-ratelimit-remaining')], [401, left]);
  }
  const refused = await login('a long password of the tests');
  checkRefused(t, refused, 3);
  t.match(refused.body, { detail: /^Too many requests: 3 failed attempts a minute\. / });
});

t.test(
  'of 100 wrong passwords at once only those within the limit are checked; failures are audited',
  async (t) => {
    const database = await freshDatabase(t);
    const join = {
      database,
      natsUrl: natsUrl(),
      namespace: randomUUID(),
      settings: { RATE_LIMIT_FAILURES: '5' },
    };
    const one = await joinApi(t, join);
    const two = await joinApi(t, { ...join, services: ['api-gateway'] });
    const body = { email: 'developer@example.com', password: 'a wrong one' };
    const asks = Array.from({ length: 100 }, (_, i) =>
      (i % 2 === 0 ? one : two).ask('/api/v1/auth/login', { body }),
    );
    const answers = await Promise.all(asks);
    t.equal(answers.filter(({ status }) => status === 401).length, 5, 'over both gateways');
    t.equal(answers.filter(({ status }) => status === 429).length, 95);
    const entries = await database.query<{ details: unknown; subject_id: string }>(
      "select details, subject_id from auth.audit_entry where action = 'developer.log_in_failed'",
    );
    t.match(entries, [{ details: { address: '127.0.0.1', address_range: '127.0.0.0/24', failures: 5 } }]);
    t.equal(entries.length, 1);
    t.type(entries[0]?.subject_id, 'string');
  },
);

t.test('an account that fails often is not locked', async (t) => {
  const api = await startApi(t, { RATE_LIMIT_ACCOUNT_FAILURES: '2', TRUSTED_PROXIES: '127.0.0.1' });
  const login = (password: string, address: string) =>
    api.ask('/api/v1/auth/login', {
      body: { email: 'developer@example.com', password },
      headers: { 'X-Forwarded-For': address },
    });
  const right = 'a long password of the tests';
  t.equal((await login(right, '192.0.2.9')).status, 200, 'an address that is known from now on');
  for (const address of ['192.0.2.1', '192.0.2.2'])
    t.equal((await login('wrong', address)).status, 401, address);
  for (const n of [2, 3])
    t.equal((await login('wrong', '192.0.2.1')).status, 401, `failure ${n} of an address`);
  const refused = await login(right, '192.0.2.1');
  checkRefused(t, refused, 3);
  t.match(refused.body, {
    detail:
      /^Too many requests: this account had 2 failed log-ins within an hour, so an address that has not logged in to it lately may fail 3 times a minute\. Try again in \d+ seconds?\.$/,
  });
  t.equal((await login('wrong', '192.0.2.3')).status, 401);
  t.equal((await login(right, '192.0.2.3')).status, 200, 'a typo of the owner locks nobody out');
  for (let n = 0; n < 4; n += 1)
    t.equal((await login('wrong', '192.0.2.9')).status, 401, 'of a known address');
  t.equal((await login(right, '192.0.2.9')).status, 200);
  await api.database.query("update auth.attempt_window set started_at = started_at - interval '2 hours'");
  t.equal((await login('wrong', '192.0.2.1')).status, 401);
});

t.test('requests without a credential are counted by address', async (t) => {
  const api = await startApi(t, { RATE_LIMIT_ADDRESS: '4' });
  const statuses = [];
  for (const path of ['/api/v1/users', '/nowhere', '/docs', '/api/v1/openapi.json', '/api/v1/users', '/docs'])
    statuses.push((await api.ask(path)).status);
  t.same(statuses, [401, 404, 200, 200, 429, 429]);
  t.equal(
    (await api.ask('/api/v1/users', { key: api.apiKey })).status,
    200,
    'a credential is not held up by its address',
  );
});

t.test('health and readiness do not count, and webhooks have a window of their own', async (t) => {
  const api = await startApi(t, { RATE_LIMIT_ADDRESS: '2', RATE_LIMIT_WEBHOOK: '3' });
  const paths = [
    '/api/v1/health',
    '/api/v1/ready',
    '/api/v1/webhooks/devicemaker/health',
    '/api/v1/webhooks/activitynet/health',
  ];
  const statuses = async () => {
    const answers = await Promise.all(
      paths.flatMap((path) => [api.ask(path), api.ask(path, { method: 'HEAD' }), api.ask(path)]),
    );
    return new Set(answers.map(({ status }) => status));
  };
  t.same([...(await statuses())], [200]);
  t.equal((await api.ask('/docs')).headers.get('x-ratelimit-remaining'), '1', 'the first that is counted');
  for (let i = 0; i < 3; i += 1) await api.ask('/docs');
  t.equal((await api.ask('/docs')).status, 429);
  t.same([...(await statuses())], [200]);
  const post = () =>
    api.ask('/api/v1/webhooks/devicemaker/push', { body: {}, headers: { 'garmin-client-id': 'x' } });
  t.same([(await post()).status, (await post()).status, (await post()).status], [200, 200, 200]);
  checkRefused(t, await post(), 3);
});
