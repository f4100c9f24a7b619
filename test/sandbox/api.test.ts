import t from 'tap';
import { z } from 'zod';
import { apiAt, pauseMs } from '../../sandbox/connect/api.ts';
import { stubApi } from './stub-api.ts';

const nowMs = Date.UTC(2026, 4, 5);

t.test('waits as Retry-After requests, at most two minutes, otherwise longer each time', async (t) => {
  const cases = [
    [null, 1, 500],
    [null, 4, 4000],
    ['0', 3, 0],
    ['7', 1, 7000],
    ['100000', 1, 120_000],
    ['Tue, 05 May 2026 00:00:30 GMT', 1, 30_000],
    ['Mon, 04 May 2026 00:00:30 GMT', 1, 0],
    ['soon', 2, 1000],
  ] as const;
  for (const [asked, attempt, want] of cases) t.equal(pauseMs(asked, attempt, nowMs), want, `${asked}`);
});

t.test('retries after 429 and 5xx, not after other errors, for a limited number of times', async (t) => {
  const api = await stubApi(t);
  const client = apiAt({ baseUrl: api.url, fetch, signal: new AbortController().signal });
  const headers = { 'x-api-key': 'the-key' };
  const ask = () => client.request(z.object({ total: z.int() }), 'GET', '/users', { headers });
  for (const status of [429, 500, 502, 503, 504]) {
    const from = api.log.length;
    const wait = { 'retry-after': '0' };
    api.answer = () =>
      api.log.length <= from + 2 ? { status, headers: wait } : { status: 200, body: { total: 0 } };
    t.same(await ask(), { total: 0 });
    t.equal(api.log.length, from + 3, `${status}: twice in vain, then well`);
  }
  for (const [status, attempts] of [
    [401, 1],
    [422, 1],
    [503, 6],
  ] as const) {
    const from = api.log.length;
    api.answer = () => ({ status, headers: { 'retry-after': '0', 'x-request-id': 'r-1' } });
    await t.rejects(ask(), {
      name: 'ApiFailed',
      status,
      message: `GET /users answered ${status}: No. (request r-1)`,
    });
    t.equal(api.log.length, from + attempts, `${status}`);
  }
});

t.test('retries without an answer, and stops at once when aborted', async (t) => {
  let calls = 0;
  const stop = new AbortController();
  const broken = async () => {
    if (++calls === 2) stop.abort(new Error('enough'));
    throw new TypeError('fetch failed');
  };
  const client = apiAt({ baseUrl: 'http://nowhere', fetch: broken, signal: stop.signal });
  await t.rejects(client.request(z.object({}), 'GET', '/users'), { message: 'enough' });
  t.equal(calls, 2);
});

t.test('a request with an incomplete answer is repeated', async (t) => {
  const answers = [
    () => new Response(new ReadableStream({ pull: (stream) => stream.error(new Error('cut')) })),
    () => Response.json({ total: 7 }),
  ];
  const cut: typeof fetch = async () => answers.shift()?.() ?? Response.error();
  const client = apiAt({ baseUrl: 'http://nowhere', fetch: cut, signal: new AbortController().signal });
  t.same(await client.request(z.object({ total: z.int() }), 'GET', '/users'), { total: 7 });
});
