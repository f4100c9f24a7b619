import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import auth from '../../../services/auth/auth.service.ts';
import destinations from '../../../services/destinations/destinations.service.ts';
import users from '../../../services/users/users.service.ts';
import webhooks from '../../../services/webhooks/webhooks.service.ts';
import { account, logIn } from '../../support/auth.ts';
import { callerOf } from '../../support/callers.ts';
import { insertDeveloper } from '../../support/developer.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';

const url = 'https://app.example/hook';

async function start(services = [auth, users, webhooks, destinations]) {
  const database = await freshDatabase(t);
  await insertDeveloper(database, account);
  return { database, ...(await startBroker(t, { databaseUrl: database.url, services })) };
}

const shared = await start();

t.beforeEach(() => shared.database.query('truncate auth.audit_entry'));

/** auth beside webhooks, with an API key. `byKey` calls with a key. */
async function startKeys({ database, call } = shared) {
  const { as } = await logIn(call);
  const key = await call('auth.createKey', { name: 'leaked' }, as);
  const byKey = (id: string) => {
    const caller: Caller = callerOf('api-key', { id, developer_id: key.created_by });
    return { meta: { caller } };
  };
  const endpoint = (endpoint_id: string) => call('webhooks.getEndpoint', { endpoint_id });
  const deletion = async (id: string) => {
    const statement =
      "select details from auth.audit_entry where action = 'api_key.deleted' and subject_id = $1";
    return (await database.query(statement, [id]))[0]?.details;
  };
  return { database, call, as, key, byKey, endpoint, deletion };
}

t.test('a deleted key disables the endpoints whose address it set, also before a rotation', async (t) => {
  const { database, call, as, key, byKey, endpoint, deletion } = await startKeys();
  const own = await call('webhooks.createEndpoint', { url }, byKey(key.id));
  const other = await call('webhooks.createEndpoint', { url }, byKey(randomUUID()));
  const ofDeveloper = await call('webhooks.createEndpoint', { url }, as);
  const taken = await call('webhooks.createEndpoint', { url }, as);
  t.equal(own.api_key_id, key.id);
  t.equal(ofDeveloper.api_key_id, null);

  const rotated = await call('auth.rotateKey', { key_id: key.id }, as);
  t.same(rotated.former_ids, [key.id]);
  t.match(await endpoint(own.id), { enabled: true });
  const moved = { endpoint_id: taken.id, url: 'https://thief.example/hook' };
  t.match(await call('webhooks.updateEndpoint', moved, byKey(rotated.id)), { api_key_id: rotated.id });
  const described = { endpoint_id: ofDeveloper.id, description: 'seen' };
  t.match(await call('webhooks.updateEndpoint', described, byKey(rotated.id)), { api_key_id: null });
  await database.query(
    `insert into webhooks.message (endpoint_id, type, recorded_at, run_at)
     select id, 'test.ping', now(), now() + interval '1 hour' from webhooks.endpoint`,
  );

  const { webhook_endpoints, ...deleted } = await call('auth.removeKey', { key_id: rotated.id }, as);
  t.equal(deleted.id, rotated.id);
  t.same(webhook_endpoints, [
    { id: own.id, url, enabled: false },
    { id: taken.id, url: moved.url, enabled: false },
  ]);
  t.match(await endpoint(own.id), { enabled: false, disabled_reason: 'key_deleted' });
  t.match(await endpoint(other.id), { enabled: true });
  t.match(await endpoint(ofDeveloper.id), { enabled: true });
  t.same(await deletion(rotated.id), { webhook_endpoints: [own.id, taken.id], keep_endpoints: false });
  const entries = await database.query(
    `select actor, subject_id, details from auth.audit_entry where action = 'webhook_endpoint.disabled' order by id`,
  );
  const actor = `admin:${as.meta.caller.developer_id}`;
  t.same(new Set(entries.map(({ subject_id }) => subject_id)), new Set([own.id, taken.id]));
  for (const entry of entries) t.match(entry, { actor, details: { reason: 'key_deleted' } });
  const told = `select data ->> 'endpoint_id' as id from changes.change
    where type = 'webhook_endpoint.disabled' and data ->> 'reason' = 'key_deleted'`;
  const changes = await database.query(told);
  t.same(new Set(changes.map(({ id }) => id)), new Set([own.id, taken.id]));
  const isSent = (id: string) =>
    database.query(
      "select from webhooks.message where endpoint_id = $1 and type = 'test.ping' and attempt > 0",
      [id],
    );
  await database.query('update webhooks.message set run_at = now()');
  await until(async () => (await isSent(ofDeveloper.id)).length > 0);
  t.same(await isSent(own.id), [], 'what was queued is not sent');
});

t.test('keep_endpoints keeps them, and the entry says so', async (t) => {
  const { call, as, key, byKey, endpoint, deletion } = await startKeys();
  const { id } = await call('webhooks.createEndpoint', { url }, byKey(key.id));
  const answer = await call('auth.removeKey', { key_id: key.id, keep_endpoints: 'true' }, as);
  t.same(answer.webhook_endpoints, [{ id, url, enabled: true }]);
  t.match(await endpoint(id), { enabled: true, api_key_id: key.id });
  t.same(await deletion(key.id), { webhook_endpoints: [id], keep_endpoints: true });
});

t.test('an endpoint that is enabled again stays enabled when the work is repeated', async (t) => {
  const { call, as, key, byKey, endpoint } = await startKeys();
  const { id } = await call('webhooks.createEndpoint', { url }, byKey(key.id));
  await call('auth.removeKey', { key_id: key.id }, as);
  await call('webhooks.updateEndpoint', { endpoint_id: id, enabled: true }, as);
  await call('webhooks.endKeys', { key_ids: [key.id], keep_endpoints: false });
  t.match(await endpoint(id), { enabled: true });
});

t.test('a request of the key that was admitted before creates and changes nothing after it', async (t) => {
  const { call, as, key, byKey } = await startKeys();
  const { id } = await call('webhooks.createEndpoint', { url }, byKey(key.id));
  await call('auth.removeKey', { key_id: key.id }, as);
  const late = [
    () => call('webhooks.createEndpoint', { url }, byKey(key.id)),
    () => call('webhooks.updateEndpoint', { endpoint_id: id, enabled: true }, byKey(key.id)),
  ];
  for (const request of late) await t.rejects(request(), refusal('UNAUTHENTICATED'));
});

t.test('endpoints of a key that is deleted while webhooks is away are disabled later', async (t) => {
  const { database, call, as, key, deletion } = await startKeys(await start([auth, users]));
  const [row] = await database.query<{ id: string }>(
    "insert into webhooks.endpoint (url, secret, api_key_id) values ($1, 'none', $2) returning id",
    [url, key.id],
  );
  const answer = await call('auth.removeKey', { key_id: key.id }, as);
  t.equal(answer.webhook_endpoints, null);
  t.equal(await deletion(key.id), null);
  await database.query('update jobs.job set run_at = now()');
  const started = await startBroker(t, {
    databaseUrl: database.url,
    services: [auth, users, webhooks, destinations],
  });
  const endpoint_id = row?.id ?? '';
  await until(async () => !(await started.call('webhooks.getEndpoint', { endpoint_id })).enabled);
  await until(async () => (await deletion(key.id)) !== null);
  t.same(await deletion(key.id), { webhook_endpoints: [endpoint_id], keep_endpoints: false });
});
