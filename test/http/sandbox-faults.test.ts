import t from 'tap';
import { z } from 'zod';
import { faultKinds as shownKinds } from '../../console/src/parts/operations/fault-kinds.ts';
import { faultKinds } from '../../sandbox/server/faults.ts';
import { startSandbox } from '../../sandbox/server/server.ts';
import { type Ask, developer, startApi, type TestApi } from '../support/api.ts';

const sandbox = await startSandbox({ speed: 0 });
t.teardown(() => sandbox.stop());
const api = await startApi(t, { SANDBOX_URL: sandbox.access.url });
const path = '/console/sandbox/faults';
const Session = z.object({ csrf_token: z.string(), sandbox: z.boolean() });

/** Signs in to the console. Returns the session, and the headers of its pages. */
async function signIn({ url, ask }: TestApi) {
  const own = { Origin: new URL(url).origin, 'Sec-Fetch-Site': 'same-origin' };
  const answer = await ask('/console/session', { method: 'POST', body: developer, headers: own });
  const session = Session.parse(answer.body);
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return { session, headers: { ...own, Cookie: cookie, 'X-CSRF-Token': session.csrf_token } };
}

const { session, headers } = await signIn(api);
const within = (asked: Ask = {}): Ask => ({ ...asked, headers });

t.test('a developer starts a fault of the sandbox, sees it, and ends it', async (t) => {
  t.equal(session.sandbox, true);
  t.strictSame((await api.ask(path, within())).body, []);
  await api.ask(path, within({ body: { kind: 'delay' } }));
  const started = await api.ask(path, within({ body: { kind: 'error', provider: 'activitynet' } }));
  t.strictSame(started.body, [
    { id: 1, kind: 'delay', provider: null, hits: 0 },
    { id: 2, kind: 'error', provider: 'activitynet', hits: 0 },
  ]);
  t.match(sandbox.world.faults.list(), [{ kind: 'delay' }, { kind: 'error' }]);
  t.match((await api.ask(`${path}/1`, within({ method: 'DELETE' }))).body, [{ id: 2 }]);
  t.strictSame((await api.ask(`${path}/2`, within({ method: 'DELETE' }))).body, []);
  t.strictSame((await api.ask(`${path}/2`, within({ method: 'DELETE' }))).body, [], 'one that has ended');
  for (const body of [{ kind: 'nonsense' }, { kind: 'error', provider: 'nobody' }, {}])
    t.equal((await api.ask(path, within({ body }))).status, 422);
});

t.test('requests that the pages of the console did not send are refused', async (t) => {
  const routes = [
    [path, 'GET'],
    [path, 'POST'],
    [`${path}/1`, 'DELETE'],
  ] as const;
  const refused: number[] = [];
  for (const [path, method] of routes) {
    const body = method === 'POST' ? { body: { kind: 'error' } } : {};
    const { 'X-CSRF-Token': _, ...withoutToken } = headers;
    for (const given of [
      { ...headers, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
      withoutToken,
    ])
      refused.push((await api.ask(path, { method, headers: given, ...body })).status);
    const { Cookie: __, ...withoutCookie } = headers;
    for (const credential of [{}, { key: api.apiKey }, { token: api.developerToken }])
      refused.push((await api.ask(path, { method, headers: withoutCookie, ...credential, ...body })).status);
  }
  t.strictSame(
    refused,
    routes.flatMap(() => [403, 403, 401, 401, 401]),
  );
  t.strictSame(sandbox.world.faults.list(), []);
});

t.test('the routes are not there without a sandbox', async (t) => {
  const other = await startApi(t);
  const { session, headers } = await signIn(other);
  t.equal(session.sandbox, false);
  for (const given of [{ headers }, {}]) t.equal((await other.ask(path, given)).status, 404);
  t.equal((await other.ask(path, { headers, body: { kind: 'error' } })).status, 404);
});

t.test('a sandbox that does not answer is 503', async (t) => {
  const other = await startApi(t, { SANDBOX_URL: 'http://127.0.0.1:9' });
  const { headers } = await signIn(other);
  t.equal((await other.ask(path, { headers })).status, 503);
});

t.test('the console names every fault of the sandbox', (t) => {
  t.strictSame(Object.keys(shownKinds).sort(), [...faultKinds].sort());
  t.end();
});
