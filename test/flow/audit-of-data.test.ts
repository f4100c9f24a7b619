import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import users from '../../services/users/users.service.ts';
import { createUser, createWearer, push, startApi } from '../support/api.ts';
import { callerOf } from '../support/callers.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

const api = await startApi(t);
const Entry = z.object({
  action: z.string(),
  actor: z.string().nullable(),
  request_id: z.string().nullable(),
  user_id: z.string().nullable(),
  subject_id: z.string().nullable(),
  details: z.record(z.string(), z.unknown()).nullable(),
});
type Entry = z.infer<typeof Entry>;

/** The entries of a user, oldest first. */
async function entriesOf(user: string): Promise<Entry[]> {
  const path = `/api/v1/audit?user_id=${user}&limit=100`;
  const { body } = await api.ask(path, { token: api.developerToken });
  return z
    .object({ data: z.array(Entry) })
    .parse(body)
    .data.reverse();
}

const actionsOf = async (user: string) => (await entriesOf(user)).map(({ action }) => action);
const named = (id: string) => ({ headers: { 'X-Request-Id': id } });

function send(requestId: string, body: unknown) {
  const headers = { 'devicemaker-client-id': 'tests', 'X-Request-Id': requestId };
  return api.ask('/api/v1/webhooks/devicemaker/push', { body, headers });
}

t.test('the entry of a change by a webhook names sender and request', async (t) => {
  const { userId, account } = await createWearer(api);
  const permissions = { userId: account, permissions: ['HEALTH_EXPORT'], changeTimeInSeconds: 1_780_000_000 };
  await send('webhook-permissions', { userPermissionsChange: [permissions] });
  await send('webhook-deregistration', { deregistrations: [{ userId: account }] });
  const [, , changed, revoked, ...more] = await entriesOf(userId);
  const actor = 'webhook:devicemaker';
  const details = { fields: ['scope'] };
  t.match(changed, { action: 'connection.changed', actor, request_id: 'webhook-permissions', details });
  t.match(revoked, { action: 'connection.revoked', actor, request_id: 'webhook-deregistration' });
  t.same(more, []);
});

t.test('a purge has an entry of its request and of its end; incoming data has none', async (t) => {
  const { userId, account } = await createWearer(api);
  const start = Date.UTC(2026, 2, 10) / 1000;
  const daily = { summaryId: 'd', startTimeInSeconds: start, startTimeOffsetInSeconds: 0, steps: 7 };
  await push(api, { dailies: [{ ...daily, userId: account, durationInSeconds: 60 }] });
  const path = `/users/${userId}/connections/devicemaker?purge=true`;
  await api.expect(200, path, { method: 'DELETE', ...named('purge-request') });
  await until(async () => (await actionsOf(userId)).includes('connection.purged'));
  const entries = (await entriesOf(userId)).slice(2);
  t.match(entries, [
    { action: 'connection.revoked', actor: /^api_key:/, request_id: 'purge-request' },
    { action: 'connection.purge_requested', actor: /^api_key:/, request_id: 'purge-request' },
    { action: 'connection.purged', actor: 'system:timeseries', details: { provider: 'devicemaker' } },
  ]);
  t.equal(entries.length, 3);
});

t.test('revoking a revoked connection leaves no entry', async (t) => {
  const { userId } = await createWearer(api);
  const path = `/users/${userId}/connections/devicemaker`;
  for (const _ of [1, 2]) await api.expect(200, path, { method: 'DELETE' });
  t.same(await actionsOf(userId), ['user.created', 'connection.created', 'connection.revoked']);
});

t.test('the entries of an erased user are kept and contain ids only', async (t) => {
  const fields = { first_name: 'Theodora', last_name: 'Quill', email: 'theodora@example.org' };
  const userId = await createUser(api, { ...fields, external_user_id: 'planted-external-id' });
  const account = `planted-account-${randomUUID()}`;
  const body = { provider: 'devicemaker', provider_user_id: account, access_token: 'planted-token' };
  await api.expect(201, `/users/${userId}/connections`, { body });
  await api.expect(200, `/users/${userId}`, { method: 'PATCH', body: { last_name: 'Planted' } });
  await api.expect(200, `/users/${userId}`, { method: 'DELETE', ...named('deletion-by-key') });
  await until(async () => (await actionsOf(userId)).includes('user.erased'));
  const entries = await entriesOf(userId);
  t.match(entries, [
    { action: 'user.created' },
    { action: 'connection.created' },
    { action: 'user.updated', details: { fields: ['last_name'] } },
    { action: 'user.deleted', actor: /^api_key:[0-9a-f-]{36}$/, request_id: 'deletion-by-key' },
    { action: 'user.erased', actor: 'system:timeseries' },
  ]);
  const kept = JSON.stringify(await api.database.query('select * from auth.audit_entry'));
  for (const planted of [...Object.values(fields), account, 'lanted-']) t.notMatch(kept, planted);
});

t.test(
  "an export contains the user's own audit entries, its own among them, and nobody else's",
  async (t) => {
    const [userId, other] = [await createUser(api), await createUser(api)];
    const { text } = await api.ask(`/api/v1/users/${userId}/export`, { key: api.apiKey });
    const lines = text.trimEnd().split('\n');
    const audit = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'audit');
    t.same(audit.map(({ action }) => action).sort(), ['user.created', 'user.exported']);
    t.ok(audit.every(({ user_id }) => user_id === userId));
    t.notMatch(text, other);
  },
);

t.test('an export has more entries than one page of them', async (t) => {
  const userId = await createUser(api);
  await api.database.query(
    `insert into auth.audit_entry (action, user_id, subject_id)
     select 'user.read', $1, $1 from generate_series(1, 250)`,
    [userId],
  );
  const { text } = await api.ask(`/api/v1/users/${userId}/export`, { key: api.apiKey });
  t.equal(text.split('\n').filter((line) => line.startsWith('{"kind":"audit"')).length, 252);
});

t.test('a repeated request with an Idempotency-Key leaves one entry', async (t) => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const create = async () =>
    z.object({ id: z.string() }).parse(await api.expect(201, '/users', { headers, body: {} }));
  const [first, second] = [await create(), await create()];
  t.equal(first.id, second.id);
  t.same(await actionsOf(first.id), ['user.created']);
});

t.test('nothing is changed if the entry cannot be written', async (t) => {
  const { userId } = await createWearer(api);
  await api.database.query(
    'alter function auth.record_audit(text, text, text, uuid, uuid, jsonb, text) rename to record_audit_away',
  );
  try {
    const asked = [
      await api.ask(`/api/v1/users/${userId}`, {
        key: api.apiKey,
        method: 'PATCH',
        body: { first_name: 'New' },
      }),
      await api.ask(`/api/v1/users/${userId}/connections/devicemaker`, { key: api.apiKey, method: 'DELETE' }),
      await api.ask(`/api/v1/users/${userId}`, { key: api.apiKey, method: 'DELETE' }),
      await api.ask('/api/v1/users', { key: api.apiKey, body: { external_user_id: 'never-made' } }),
    ];
    t.same(
      asked.map(({ status }) => status),
      [500, 500, 500, 500],
    );
  } finally {
    await api.database.query('alter function auth.record_audit_away rename to record_audit');
  }
  t.match(await api.expect(200, `/users/${userId}`), { first_name: null });
  t.match(await api.expect(200, `/users/${userId}/connections`), [{ status: 'active' }]);
  t.match(await api.expect(200, '/users?external_user_id=never-made'), { total: 0 });
});

t.test('entries are written while the service auth is unavailable', async (t) => {
  const database = await freshDatabase(t);
  const { call } = await startBroker(t, { databaseUrl: database.url, services: [users] });
  const caller = callerOf('api-key');
  const { id } = await call('users.create', {}, { meta: { caller }, requestID: 'without-auth' });
  t.match(await database.query('select action, actor, request_id, user_id from auth.audit_entry'), [
    { action: 'user.created', actor: `api_key:${caller.id}`, request_id: 'without-auth', user_id: id },
  ]);
});
