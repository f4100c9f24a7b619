import t from 'tap';
import { z } from 'zod';
import { idempotency } from '../../services/api-gateway/work/idempotency.ts';
import { type Answer, type Ask, createUser, startApi } from '../support/api.ts';
import { callerOf } from '../support/callers.ts';
import { refusal } from '../support/refusal.ts';

const api = await startApi(t);
const Id = z.object({ id: z.string() });

function post(path: string, key: string, given: Ask): Promise<Answer> {
  return api.ask(`/api/v1${path}`, { method: 'POST', ...given, headers: { 'Idempotency-Key': key } });
}

async function userCount(): Promise<number> {
  return z.object({ total: z.int() }).parse(await api.expect(200, '/users')).total;
}

async function rowsOf(text: string): Promise<Record<string, unknown>[]> {
  return api.database.query(text);
}

const developer = { token: api.developerToken };

t.test('the same request with the same key returns the first answer and runs once', async (t) => {
  const before = await userCount();
  const body = { first_name: 'Ada', email: 'ada@example.com' };
  const first = await post('/users', 'a key', { key: api.apiKey, body });
  const again = await post('/users', 'a key', { key: api.apiKey, body });
  t.same([first.status, again.status], [201, 201]);
  t.same(again.text, first.text);
  t.same(
    [first, again].map(({ headers }) => headers.get('idempotent-replayed')),
    [null, 'true'],
  );
  t.equal(await userCount(), before + 1);
});

t.test('a body with other blanks or another order of names is the same request', async (t) => {
  const first = await post('/users', 'order', {
    key: api.apiKey,
    body: '{"first_name":"A","last_name":"B"}',
  });
  const again = await post('/users', 'order', {
    key: api.apiKey,
    body: '{ "last_name": "B", "first_name": "A" }',
  });
  t.equal(again.text, first.text);
});

t.test('a path that names no user is refused as without a key', async (t) => {
  const body = { provider: 'devicemaker', provider_user_id: 'an account' };
  for (const id of ['nobody', '%00'])
    t.match(await post(`/users/${id}/connections`, 'no user', { key: api.apiKey, body }), { status: 422 });
});

t.test('another body, or another user in the path, with the same key is 409 and runs nothing', async (t) => {
  const [one, other] = [await createUser(api), await createUser(api)];
  await post('/users', 'taken', { key: api.apiKey, body: { first_name: 'A' } });
  const before = await userCount();
  const second = await post('/users', 'taken', { key: api.apiKey, body: { first_name: 'B' } });
  t.match(second, { status: 409, body: { detail: 'This Idempotency-Key was used for another request.' } });
  t.equal(await userCount(), before);
  const body = { provider: 'devicemaker', provider_user_id: 'an account' };
  const link = (id: string) => post(`/users/${id}/connections`, 'link', { key: api.apiKey, body });
  t.same([(await link(one)).status, (await link(other)).status, (await link(one)).status], [201, 409, 201]);
  t.same(await api.expect(200, `/users/${other}/connections`), []);
});

t.test("callers and routes do not meet in each other's keys", async (t) => {
  const byKey = await post('/users', 'shared', { key: api.apiKey, body: {} });
  const byDeveloper = await post('/users', 'shared', { ...developer, body: {} });
  const application = await post('/applications', 'shared', { ...developer, body: { name: 'App' } });
  t.same([byKey.status, byDeveloper.status, application.status], [201, 201, 201]);
  t.not(Id.parse(byKey.body).id, Id.parse(byDeveloper.body).id);
});

t.test('keys belong to a developer across log-ins', async (t) => {
  const first = await post('/users', 'of a developer', { ...developer, body: {} });
  const login = await api.ask('/api/v1/auth/login', {
    body: { email: 'developer@example.com', password: 'a long password of the tests' },
  });
  const { access_token } = z.object({ access_token: z.string() }).parse(login.body);
  t.equal((await post('/users', 'of a developer', { token: access_token, body: {} })).text, first.text);
});

t.test('answers with keys and secrets are repeated, and are stored encrypted', async (t) => {
  const password = 'a password that is nowhere';
  const made = [
    await post('/api-keys', 'secret', { ...developer, body: { name: 'Key' } }),
    await post('/applications', 'secret', { ...developer, body: { name: 'App' } }),
    await post('/developers', 'secret', { ...developer, body: { email: 'new@example.com', password } }),
  ];
  const again = [
    await post('/api-keys', 'secret', { ...developer, body: { name: 'Key' } }),
    await post('/applications', 'secret', { ...developer, body: { name: 'App' } }),
    await post('/developers', 'secret', { ...developer, body: { email: 'new@example.com', password } }),
  ];
  t.same(
    again.map(({ text }) => text),
    made.map(({ text }) => text),
  );
  t.match(made[0]?.body, { key: /^sk-/ });
  const stored = JSON.stringify(await rowsOf('select * from gateway.idempotent_answer'));
  const { key } = z.object({ key: z.string() }).parse(made[0]?.body);
  const { app_secret } = z.object({ app_secret: z.string() }).parse(made[1]?.body);
  for (const hidden of [key, app_secret, password, 'new@example.com']) t.notMatch(stored, hidden);
  // Not even a hash that could be tried out: the same request is stored differently under another key.
  const requests = await rowsOf('select request from gateway.idempotent_answer');
  t.equal(new Set(requests.map(({ request }) => request)).size, requests.length);
});

t.test('the answer with an API key is not repeated once the key is deleted or rotated', async (t) => {
  const Key = z.object({ id: z.string(), key: z.string() });
  const make = (name: string) => post('/api-keys', name, { ...developer, body: { name } });
  const [deleted, rotated] = [Key.parse((await make('gone')).body), Key.parse((await make('old')).body)];
  await api.ask(`/api/v1/api-keys/${deleted.id}`, { ...developer, method: 'DELETE' });
  await api.ask(`/api/v1/api-keys/${rotated.id}/rotate`, { ...developer, method: 'POST' });
  for (const [name, { key }] of [
    ['gone', deleted],
    ['old', rotated],
  ] as const) {
    const again = await make(name);
    t.match(again, {
      status: 404,
      body: { detail: 'The API key that this request made is not valid any more.' },
    });
    t.notMatch(again.text, key);
    t.equal(again.headers.get('idempotent-replayed'), null);
  }
});

t.test('a refusal is not kept: the corrected request runs under its key', async (t) => {
  const refused = await post('/users', 'mended', { key: api.apiKey, body: { email: 'nobody' } });
  const taken = await post('/users', 'mended', { key: api.apiKey, body: { external_user_id: 'x-1' } });
  t.same([refused.status, taken.status], [422, 201]);
  const doubled = await post('/users', 'doubled', { key: api.apiKey, body: { external_user_id: 'x-1' } });
  await api.expect(200, `/users/${Id.parse(taken.body).id}`, { method: 'DELETE' });
  const free = await post('/users', 'doubled', { key: api.apiKey, body: { external_user_id: 'x-1' } });
  t.same([doubled.status, free.status], [409, 201]);
});

t.test('a key has 1 to 255 printable characters', async (t) => {
  const status = async (key: string) => (await post('/users', key, { key: api.apiKey, body: {} })).status;
  t.same([await status('k'), await status('k'.repeat(255)), await status('k'.repeat(256))], [201, 201, 422]);
  t.match(await post('/users', 'caf\u00e9', { key: api.apiKey, body: {} }), {
    status: 422,
    body: { errors: [{ field: 'Idempotency-Key' }] },
  });
});

t.test('a route that creates nothing ignores the key', async (t) => {
  const id = await createUser(api);
  const rename = (first_name: string) =>
    api.ask(`/api/v1/users/${id}`, {
      method: 'PATCH',
      key: api.apiKey,
      body: { first_name },
      headers: { 'Idempotency-Key': 'patch' },
    });
  t.same([(await rename('A')).status, (await rename('B')).status], [200, 200]);
  t.match(await api.expect(200, `/users/${id}`), { first_name: 'B' });
});

t.test('a forbidden request is refused before its key is claimed', async (t) => {
  t.equal((await post('/users', 'a key', { body: {} })).status, 401);
  t.equal((await post('/api-keys', 'secret', { key: api.apiKey, body: { name: 'Key' } })).status, 403);
});

t.test('the answer about an erased user is emptied, and a repetition creates no user', async (t) => {
  const body = { first_name: 'Gone' };
  const made = Id.parse((await post('/users', 'erased', { key: api.apiKey, body })).body);
  await api.expect(200, `/users/${made.id}`, { method: 'DELETE' });
  const before = await userCount();
  t.equal((await post('/users', 'erased', { key: api.apiKey, body })).status, 410);
  t.equal(await userCount(), before);
  t.same(await rowsOf(`select answer from gateway.idempotent_answer where user_id = '${made.id}'`), [
    { answer: null },
  ]);
});

t.test('an answer that arrives after the erasure of its user is not kept', async (t) => {
  const userId = await createUser(api);
  const { endpoints } = await import('../../services/api-gateway/rules/endpoints.ts');
  const endpoint = endpoints.find(({ action }) => action === 'users.connect');
  if (endpoint === undefined) throw new Error('there is no route to connect a user');
  const logger = api.broker.getLogger('tests');
  const kept = idempotency(api.database, { ENCRYPTION_KEY: ['x'.repeat(32)] }, logger);
  const caller = callerOf('api-key');
  const asked = { key: 'in work', caller, endpoint, params: { user_id: userId } };
  const answer = await kept.once(asked, async () => {
    await api.expect(200, `/users/${userId}`, { method: 'DELETE' });
    return { status: 201, body: { provider_user_id: 'an account' } };
  });
  t.match(answer, { status: 201 });
  const rows = await rowsOf(
    `select status, answer from gateway.idempotent_answer where user_id = '${userId}'`,
  );
  t.same(rows, [{ status: 410, answer: null }]);
});

t.test('the outcome of a request whose process died is unknown; it does not run twice', async (t) => {
  await post('/users', 'died', { key: api.apiKey, body: {} });
  const died = 'update gateway.idempotent_answer set status = null, answer = null where answer is not null';
  await rowsOf(`${died} and created_at = (select max(created_at) from gateway.idempotent_answer)`);
  const before = await userCount();
  const inWork = await post('/users', 'died', { key: api.apiKey, body: {} });
  t.match(inWork, { status: 409, body: { detail: /still being processed/ } });
  t.equal(inWork.headers.get('retry-after'), '1');
  await rowsOf(
    "update gateway.idempotent_answer set created_at = now() - interval '2 minutes' where status is null",
  );
  const unknown = await post('/users', 'died', { key: api.apiKey, body: {} });
  t.match(unknown, { status: 409, body: { detail: /Check whether it took effect/ } });
  t.equal(await userCount(), before);
});

t.test('after a day a key is free, and its answer is deleted in batches', async (t) => {
  const again = async () => {
    const { headers, body } = await post('/users', 'old', { key: api.apiKey, body: { first_name: 'A' } });
    return { id: Id.parse(body).id, replayed: headers.get('idempotent-replayed') };
  };
  const age = (id: string, interval: string) =>
    rowsOf(
      `update gateway.idempotent_answer set created_at = now() - interval '${interval}' where user_id = '${id}'`,
    );
  const first = await again();
  await age(first.id, '23 hours 59 minutes');
  t.same(await again(), { id: first.id, replayed: 'true' }, 'before that it is taken');
  await age(first.id, '1 day 1 second');
  const next = await again();
  t.not(next.id, first.id);
  t.equal(next.replayed, null);
  await rowsOf("update gateway.idempotent_answer set created_at = now() - interval '23 hours 59 minutes'");
  await rowsOf(`insert into gateway.idempotent_answer (caller, route, key_hash, request, created_at)
    select 'api-key:x', 'users.create', sha256(n::text::bytea), 'x', now() - interval '25 hours'
    from generate_series(1, 2001) n`);
  const logger = api.broker.getLogger('tests');
  const kept = idempotency(api.database, { ENCRYPTION_KEY: ['x'.repeat(32)] }, logger);
  t.equal(await kept.clean(), 2001);
  t.same(await again(), { id: next.id, replayed: 'true' }, 'what is younger stays');
  t.equal(await kept.clean(), 0);
});

t.test('an answer survives a new first ENCRYPTION_KEY, and is unknown without its own one', async (t) => {
  const [old, fresh] = [
    'the old secret of 32 characters and more',
    'the new secret of 32 characters and more',
  ];
  const logger = api.broker.getLogger('tests');
  const caller = callerOf('api-key');
  const { endpoints } = await import('../../services/api-gateway/rules/endpoints.ts');
  const endpoint = endpoints.find(({ action }) => action === 'users.create');
  if (endpoint === undefined) throw new Error('there is no route to create a user');
  let runs = 0;
  const once = (ENCRYPTION_KEY: string[]) =>
    idempotency(api.database, { ENCRYPTION_KEY }, logger).once(
      { key: 'rotated', caller, endpoint, params: { a: 1 } },
      async () => ({ status: 201, body: { run: ++runs } }),
    );
  t.match(await once([old]), { body: { run: 1 }, replayed: false });
  t.match(await once([fresh, old]), { body: { run: 1 }, replayed: true });
  await t.rejects(once([fresh]), refusal('IDEMPOTENCY_KEY_UNKNOWN'));
});

t.test('a failure without effect releases the key, a time-out does not', async (t) => {
  const logger = api.broker.getLogger('tests');
  const caller = callerOf('api-key');
  const { endpoints } = await import('../../services/api-gateway/rules/endpoints.ts');
  const endpoint = endpoints.find(({ action }) => action === 'users.create');
  if (endpoint === undefined) throw new Error('there is no route to create a user');
  const kept = idempotency(api.database, { ENCRYPTION_KEY: ['x'.repeat(32)] }, logger, 100);
  const fail = (type: string) => async () => {
    throw Object.assign(new Error(type), { type });
  };
  const work = async () => ({ status: 201, body: {} });
  const asked = (key: string) => ({ key, caller, endpoint, params: {} });
  for (const type of ['SERVICE_NOT_FOUND', 'INTERNAL', 'SERVICE_UNAVAILABLE', 'VALIDATION_FAILED']) {
    await t.rejects(kept.once(asked(type), fail(type)), { message: type });
    t.match(await kept.once(asked(type), work), { replayed: false, status: 201 }, type);
  }
  for (const type of ['REQUEST_TIMEOUT', 'REQUEST_REJECTED']) {
    await t.rejects(kept.once(asked(type), fail(type)), { message: type });
    await t.rejects(kept.once(asked(type), work), refusal('IDEMPOTENCY_KEY_IN_WORK'), type);
  }
});
