import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import nock from 'nock';
import t, { type Test } from 'tap';
import { openProviderApi, type ProviderPace, sendOnce } from '../../mixins/provider-api/provider-api.ts';
import { mockRequests } from '../support/mocked-requests.ts';

const pace: ProviderPace = { spacingMs: 0, atOnce: 10, retries: 2, firstPauseMs: 1, timeoutMs: 2000 };

async function serve(t: Test, listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a server that listens on a port has one
  return new URL(`http://127.0.0.1:${port}/path`);
}

function apiOf(t: Test, choice: Partial<ProviderPace> = {}) {
  const api = openProviderApi({ ...pace, ...choice });
  t.teardown(() => api.close());
  return api;
}

const origin = 'https://provider.example';
const url = new URL('/path', origin);

// One answer of a provider is played by nock; what concerns the socket has a server below.
mockRequests(t);
t.afterEach(() => nock.cleanAll());

t.test('hands over status, headers and body, and sends the token as a bearer', async (t) => {
  nock(origin, { reqheaders: { authorization: 'Bearer secret' } })
    .get('/path')
    .reply(202, '{"a":1}', { 'x-limit': '7' });
  const answer = await apiOf(t).request({ url, token: 'secret' });
  t.match(answer, { status: 202, text: '{"a":1}', tries: 1 });
  t.equal(answer.headers.get('x-limit'), '7');
});

t.test('sends a form by POST', async (t) => {
  nock(origin, { reqheaders: { 'content-type': /^application\/x-www-form-urlencoded/ } })
    .post('/path', 'a=b+c')
    .reply(200, 'taken');
  t.match(await sendOnce({ url, form: new URLSearchParams({ a: 'b c' }) }), { status: 200, text: 'taken' });
});

t.test('tries again what may heal, and tells how often it tried', async (t) => {
  for (const status of [500, 502, 200]) nock(origin).get('/path').reply(status);
  t.match(await apiOf(t).request({ url }), { status: 200, tries: 3 });
});

t.test('gives up after its tries with the last answer', async (t) => {
  nock(origin).get('/path').times(3).reply(503, 'down');
  t.match(await apiOf(t).request({ url }), { status: 503, text: 'down', tries: 3 });
});

for (const [status, headers] of [
  [400, {}],
  [401, {}],
  [404, {}],
  [409, {}],
  [429, {}],
  [503, { 'retry-after': '60' }],
] as const)
  t.test(`a ${status}${'retry-after' in headers ? ' that says when' : ''} is not tried again`, async (t) => {
    nock(origin).get('/path').reply(status, '', headers);
    t.match(await apiOf(t).request({ url }), { status, tries: 1 });
  });

t.test('a redirect is not followed: the token stays here', async (t) => {
  const elsewhere = nock('https://elsewhere.example').get('/').reply(200);
  nock(origin).get('/path').reply(302, '', { location: 'https://elsewhere.example/' });
  t.match(await apiOf(t).request({ url, token: 'secret' }), { status: 302, tries: 1 });
  t.notOk(elsewhere.isDone());
});

t.test('an answer that came while this process stood still is read', async (t) => {
  const [limitMs, isAsked, isAnswered] = [2000, 0, 1];
  const marks = new Int32Array(new SharedArrayBuffer(8));
  const server = new Worker(
    `const { parentPort, workerData: marks } = require('node:worker_threads');
     const answered = () => Atomics.store(marks, ${isAnswered}, 1) && Atomics.notify(marks, ${isAnswered});
     const server = require('node:http').createServer((_, response) => {
       Atomics.store(marks, ${isAsked}, 1);
       setTimeout(() => response.end('fresh tokens', answered), ${limitMs * 1.25});
     });
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true, workerData: marks },
  );
  t.teardown(() => server.terminate());
  const [port] = await once(server, 'message');
  const asking = sendOnce({ url: new URL(`http://127.0.0.1:${port}/token`), timeoutMs: limitMs });
  while (Atomics.load(marks, isAsked) === 0) await setImmediate();
  Atomics.wait(marks, isAnswered, 0);
  t.match(await asking, { status: 200, text: 'fresh tokens' });
});

t.test('nobody there, silence, half an answer and one too large are no answer', async (t) => {
  const api = apiOf(t, { retries: 1, timeoutMs: 100 });
  const gone = await serve(t, () => undefined);
  t.match(await api.request({ url: gone }), { status: 0, tries: 2 });
  const half = await serve(t, (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half');
    setTimeout(() => response.destroy(), 5);
  });
  t.match(await api.request({ url: half }), { status: 0, text: '' });
  const large = await serve(t, (_, response) => response.end('x'.repeat(1001)));
  t.match(await api.request({ url: large, mostBytes: 1000 }), { status: 0, text: '' });
  t.match(await api.request({ url: large, mostBytes: 1001 }), { status: 200 });
  t.match(await api.request({ url: new URL('http://127.0.0.1:1/') }), { status: 0, tries: 2 });
});

t.test('a caller who gives up ends it, in the middle or before', async (t) => {
  let count = 0;
  const ending = new AbortController();
  const url = await serve(t, () => {
    count += 1;
    ending.abort();
  });
  const api = apiOf(t, { retries: 5 });
  t.match(await api.request({ url, signal: ending.signal }), { status: 0, tries: 1 });
  t.match(await api.request({ url, signal: ending.signal }), { status: 0, tries: 0 });
  t.equal(count, 1);
});

t.test('no more requests are under way than allowed', async (t) => {
  let [now, most] = [0, 0];
  const url = await serve(t, (_, response) => {
    now += 1;
    most = Math.max(most, now);
    setTimeout(() => {
      now -= 1;
      response.end();
    }, 10);
  });
  const api = apiOf(t, { atOnce: 2 });
  const answers = await Promise.all(Array.from({ length: 10 }, () => api.request({ url })));
  t.ok(answers.every(({ status }) => status === 200));
  t.equal(most, 2);
});

t.test('requests that were ended here say nothing about the provider', async (t) => {
  const noted: number[] = [];
  const own = { ...pace, retries: 0, timeoutMs: 60_000 };
  const api = openProviderApi(own, (_url, status) => noted.push(status));
  t.teardown(() => api.close());
  const silent = await serve(t, () => undefined);
  t.match(await api.request({ url: silent, timeoutMs: 20 }), { status: 0, givenUp: true });
  const stop = new AbortController();
  const stopped = await serve(t, () => stop.abort());
  await api.request({ url: stopped, signal: stop.signal });
  t.strictSame(noted, []);
  const broken = await serve(t, ({ socket }) => socket.destroy());
  t.match(await api.request({ url: broken }), { status: 0, givenUp: false });
  const down = await serve(t, (_request, response) => response.writeHead(503).end());
  await api.request({ url: down });
  t.strictSame(noted, [0, 503], 'a broken connection and an answer do');
});
