import { request } from 'node:http';
import { connect } from 'node:net';
import t from 'tap';
import { z } from 'zod';
import { escaped } from '../../services/api-gateway/rules/html.ts';
import { startApi } from '../support/api.ts';

const api = await startApi(t);
const windowHeaders = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

t.test('an unknown route is 404, a wrong method 405 with Allow', async (t) => {
  for (const path of [
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1/nothing',
    '/api/v1/users/a/b/c',
    '/api/v2/users',
    '/docs/../start.ts',
    '/docs/package.json',
    '//',
  ]) {
    const answer = await api.ask(path);
    t.equal(answer.status, 404, path);
    t.match(answer.body, { detail: /\w+\./ }, path);
  }
  const wrong = await api.ask('/api/v1/users', { method: 'PUT', key: api.apiKey, body: {} });
  t.equal(wrong.status, 405);
  t.equal(wrong.headers.get('allow'), 'GET, HEAD, OPTIONS, POST');
  t.equal(
    (await api.ask('/api/v1/users/x', { method: 'POST', body: {} })).headers.get('allow'),
    'DELETE, GET, HEAD, OPTIONS, PATCH',
  );
});

t.test('no path runs an action that has no route', async (t) => {
  for (const path of [
    '/api/v1/auth/admit',
    '/api/v1/auth.admit',
    '/api/v1/timeseries/erase',
    '/api/v1/users.list',
    '/api/v1/$node/list',
    '/api/v1/~node/list',
    '/docs/~node/actions',
    '/auth/admit',
    '/api/v1/api-gateway/rest',
  ]) {
    for (const method of ['GET', 'POST']) {
      const answer = await api.ask(path, { method, key: api.apiKey });
      t.ok([404, 405].includes(answer.status), `${method} ${path}: ${answer.status}`);
    }
  }
});

t.test('HEAD answers as GET does, without a body', async (t) => {
  const got = await api.ask('/api/v1/users', { key: api.apiKey });
  const head = await api.ask('/api/v1/users', { method: 'HEAD', key: api.apiKey });
  t.equal(head.status, 200);
  t.equal(head.text, '');
  t.equal(head.headers.get('content-length'), got.headers.get('content-length'));
  t.equal((await api.ask('/api/v1/users', { method: 'HEAD' })).status, 401);
});

t.test('OPTIONS returns the methods and runs nothing', async (t) => {
  const answer = await api.ask('/api/v1/users', {
    method: 'OPTIONS',
    headers: { Origin: 'https://app.example', 'Access-Control-Request-Headers': 'authorization' },
  });
  t.equal(answer.status, 204);
  t.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS, POST');
  t.equal(answer.headers.get('access-control-allow-headers'), 'authorization');
  t.equal((await api.ask('/api/v1/nothing', { method: 'OPTIONS' })).status, 404);
  for (const names of ['a;b', 'x'.repeat(513)]) {
    const headers = { 'Access-Control-Request-Headers': names };
    const other = await api.ask('/api/v1/users', { method: 'OPTIONS', headers });
    t.equal(other.headers.get('access-control-allow-headers'), null, 'only header names are repeated');
  }
});

t.test('every answer has a request id and the three rate-limit headers', async (t) => {
  const asks = [
    api.ask('/api/v1/health'),
    api.ask('/docs'),
    api.ask('/docs/start.js'),
    api.ask('/api/v1/openapi.json'),
    api.ask('/nowhere'),
    api.ask('/api/v1/users'),
    api.ask('/api/v1/users', { key: api.apiKey }),
    api.ask('/api/v1/users', { method: 'PUT', body: {} }),
    api.ask('/api/v1/users', { method: 'OPTIONS' }),
    api.ask('/api/v1/users?limit=0', { key: api.apiKey }),
    api.ask('/api/v1/users', { key: api.apiKey, body: '{' }),
    api.ask('/api/v1/auth/login', { body: { email: 'a@example.com', password: 'x' } }),
    api.ask('/api/v1/webhooks/devicemaker/push', { body: {} }),
    api.ask('/api/v1/webhooks/devicemaker/push', { body: {}, headers: { 'devicemaker-client-id': 'x' } }),
    api.ask('/api/v1/users/%E0%A4%A', { key: api.apiKey }),
  ];
  for (const answer of await Promise.all(asks)) {
    t.match(answer.headers.get('x-request-id'), /^[\w.:-]+$/, answer.text.slice(0, 60));
    for (const name of windowHeaders)
      t.match(answer.headers.get(name), /^\d+$/, `${name} on ${answer.status} ${answer.text.slice(0, 60)}`);
    t.not(answer.status, 500);
  }
});

t.test('a valid request id of a client is kept, an invalid one is replaced', async (t) => {
  const kept = await api.ask('/api/v1/health', { headers: { 'X-Request-Id': 'abc-123' } });
  t.equal(kept.headers.get('x-request-id'), 'abc-123');
  const replaced = await api.ask('/api/v1/health', { headers: { 'X-Request-Id': 'a b"c' } });
  t.match(replaced.headers.get('x-request-id'), /^[0-9a-f-]{36}$/);
});

t.test('a body that is not JSON is 415, an invalid one 400, one too large 413', async (t) => {
  const post = (body: string | Uint8Array, headers = {}) =>
    api.ask('/api/v1/users', { key: api.apiKey, body, headers });
  t.equal((await post('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' })).status, 415);
  t.equal((await post('{}', { 'Content-Type': 'text/plain' })).status, 415);
  t.equal((await post('{}', { 'Content-Type': 'application/json; charset=utf-16' })).status, 415);
  t.equal((await post('{}', { 'Content-Encoding': 'zstd-or-so' })).status, 415);
  t.equal((await post('{"first_name":')).status, 400);
  t.equal((await post(new Uint8Array([0x7b, 0xff, 0x7d]))).status, 400);
  t.equal((await post('[]')).status, 422);
  t.equal((await post('"text"')).status, 422);
  t.equal((await post(JSON.stringify({ first_name: 'x'.repeat(1024 * 1024) }))).status, 413);
  t.equal((await post('{}', { 'Content-Type': 'application/json; charset=utf-8' })).status, 201);
});

t.test('credentials are checked before the body', async (t) => {
  t.equal((await api.ask('/api/v1/users', { body: '{' })).status, 401);
  t.equal((await api.ask('/api/v1/users', { body: 'x'.repeat(2_000_000) })).status, 401);
  t.equal((await api.ask('/api/v1/api-keys', { key: api.apiKey, body: '{' })).status, 403);
});

t.test('a body with a too large Content-Length is refused before it is sent', async (t) => {
  const status = await new Promise((resolve, reject) => {
    const req = request(`${api.url}/api/v1/users`, {
      method: 'POST',
      headers: { 'X-API-Key': api.apiKey, 'Content-Type': 'application/json', 'Content-Length': 50_000_000 },
    });
    req.on('response', (res) => {
      resolve(res.statusCode);
      req.destroy();
    });
    req.on('error', reject);
    req.flushHeaders();
  });
  t.equal(status, 413);
});

t.test('text that PostgreSQL cannot store is 422', async (t) => {
  t.equal(
    (await api.ask('/api/v1/users', { key: api.apiKey, body: '{"first_name":"a\\u0000b"}' })).status,
    422,
  );
  t.equal((await api.ask('/api/v1/users?search=%00', { key: api.apiKey })).status, 422);
  t.equal(
    (await api.ask('/api/v1/users', { key: api.apiKey, body: '{"first_name":"\\ud800"}' })).status,
    422,
  );
});

t.test('bytes that are not HTTP are answered with a JSON error', async (t) => {
  const { port } = new URL(api.url);
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('HELLO\r\n\r\n'));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('end', () => resolve(received));
    socket.on('error', reject);
  });
  t.match(text, /^HTTP\/1.1 400 [\s\S]*\{"detail":"[^"]+","code":"MALFORMED_REQUEST"\}\n$/);
});

t.test('health and readiness answer; an unavailable service makes readiness 503', async (t) => {
  t.same((await api.ask('/api/v1/health')).body, { status: 'ok' });
  t.match((await api.ask('/api/v1/ready')).body, {
    status: 'ok',
    services: { auth: true, users: true, timeseries: true, database: true },
  });
});

t.test('the documentation page loads nothing from other hosts', async (t) => {
  const page = await api.ask('/docs');
  t.match(page.headers.get('content-type'), 'text/html');
  t.notMatch(page.text, /https?:\/\//);
  const files = [...page.text.matchAll(/"\/docs\/([^"]+)"/g)].flatMap(([, file = '']) => file);
  t.ok(files.includes('start.js'));
  t.ok(files.includes('guides/webhooks'));
  for (const file of files) t.equal((await api.ask(`/docs/${file}`)).status, 200, file);
  t.equal((await api.ask('/docs/docs.ts')).status, 404);
});

t.test('the page of the reference has its operations by section without scripts', async (t) => {
  const { text } = await api.ask('/docs');
  const [overview = ''] = /<div id="overview">[\s\S]*<div id="operations">/.exec(text) ?? [];
  const Document = z.object({
    paths: z.record(z.string(), z.record(z.string(), z.object({ summary: z.string() }))),
  });
  const { paths } = Document.parse(await api.expect(200, '/openapi.json'));
  const summaries = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ summary }) => summary),
  );
  t.ok(summaries.length > 100);
  t.same(
    summaries.filter((summary) => !overview.includes(`>${escaped(summary)}</a></li>`)),
    [],
  );
  for (const [, image = ''] of overview.matchAll(/ src="([^"]+)"/g))
    t.equal((await api.ask(image)).status, 200, image);
  t.match(overview, '<h1 id="pulsebus-api">Pulsebus API</h1>');
});

t.test('a guide is a page without scripts too, and an unknown one is 404', async (t) => {
  const guide = await api.ask('/docs/guides/webhooks');
  t.match(guide.headers.get('content-type'), 'text/html');
  t.match(guide.headers.get('content-security-policy'), "default-src 'none'");
  t.match(guide.text, '<h1 id="receiving-webhooks">Receiving webhooks</h1>');
  t.match(guide.text, ' href="/docs/guides/webhooks" aria-current="page"');
  const files = [...guide.text.matchAll(/(?:src|href)="(\/docs\/[\w-]+\.\w+)"/g)].flatMap(
    ([, file = '']) => file,
  );
  t.ok(files.includes('/docs/guide.js'));
  for (const file of files) t.equal((await api.ask(file)).status, 200, file);
  const unknown = await api.ask('/docs/guides/nothing');
  t.equal(unknown.status, 404);
  t.match(unknown.text, 'There is no such guide');
  t.equal(
    (await api.ask('/docs/guides/images/connect-page-light-1440.webp')).headers.get('content-type'),
    'image/webp',
  );
  for (const path of ['images/nothing.png', 'images/..%2Fdata.md', '..%2Fdata', 'webhooks.md'])
    t.equal((await api.ask(`/docs/guides/${path}`)).status, 404, path);
  t.match((await api.ask('/docs/guides.json')).body, [
    { title: 'First hour', path: '/docs/guides/first-hour' },
  ]);
  t.equal((await api.ask('/docs/guides/webhooks', { method: 'PUT', body: {} })).status, 405);
});
