import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createUser, joinApi, startApi, type TestApi } from '../../support/api.ts';
import { freshDatabase, natsUrl } from '../../support/servers/database.ts';
import { event } from './setting.ts';

const hook = '/api/v1/webhooks/activitynet/webhook';
// Nothing is fetched in this file: the provider is where nobody answers.
const settings = {
  ACTIVITYNET_API_URL: 'http://127.0.0.1:1',
  ACTIVITYNET_VERIFY_TOKEN: 'the verify token',
  SANDBOX: 'off',
  BACKFILL_ON_CONNECT: 'false',
};
const api = await startApi(t, settings);

async function athlete(on: TestApi = api): Promise<{ userId: string; account: string }> {
  const userId = await createUser(on);
  const account = String(Math.floor(Math.random() * 1e12));
  const body = { provider: 'activitynet', provider_user_id: account, access_token: 'x' };
  await on.expect(201, `/users/${userId}/connections`, { body });
  return { userId, account };
}

const query = (fields: Record<string, string>) => `${hook}?${new URLSearchParams(fields)}`;
const check = { 'hub.mode': 'subscribe', 'hub.challenge': '15f7d1a91c1f40f8a748fd134752feb3' };

t.test('the subscription check echoes the challenge of whoever knows the token', async (t) => {
  const right = await api.ask(query({ ...check, 'hub.verify_token': 'the verify token' }));
  t.equal(right.status, 200);
  t.same(right.body, { 'hub.challenge': check['hub.challenge'] });
  for (const token of ['', 'the verify toke', 'the verify token ', 'undefined']) {
    const wrong = await api.ask(query({ ...check, 'hub.verify_token': token }));
    t.equal(wrong.status, 403, token);
    t.same(wrong.body, { detail: 'Invalid verify token', code: 'VERIFY_TOKEN_INVALID' });
  }
  for (const missing of ['hub.mode', 'hub.challenge', 'hub.verify_token']) {
    const fields = Object.entries({ ...check, 'hub.verify_token': 'the verify token' });
    const rest = Object.fromEntries(fields.filter(([name]) => name !== missing));
    t.match(await api.ask(query(rest)), { status: 422, body: { errors: [{ field: missing }] } });
  }
  const mode = await api.ask(
    query({ ...check, 'hub.mode': 'unsubscribe', 'hub.verify_token': 'the verify token' }),
  );
  t.equal(mode.status, 422);
});

t.test('while no verify token is set every check is refused', async (t) => {
  const bare = await startApi(t, { SANDBOX: 'off' });
  for (const token of ['', 'undefined', 'null'])
    t.match(await bare.ask(query({ ...check, 'hub.verify_token': token })), {
      status: 403,
      body: { detail: 'Invalid verify token', code: 'VERIFY_TOKEN_INVALID' },
    });
});

t.test('events are answered 200, whatever they hold', async (t) => {
  const { userId, account } = await athlete();
  const send = (body: unknown, headers = {}) => api.ask(hook, { method: 'POST', body, headers });
  const good = await send(event({ owner_id: Number(account), object_id: 17_999_999_999 }));
  t.match(good, { status: 200, body: { status: 'processed', message: /17999999999, create/ } });
  t.match(good.body, { message: new RegExp(userId) });
  for (const [name, body] of [
    ['nobody', event({ owner_id: 1 })],
    ['cut off', '{"object_type":'],
    ['empty', ''],
    ['a list', '[]'],
    ['another thing', '{"a":1}'],
  ] as const)
    t.match(await send(body), { status: 200, body: { status: 'skipped', message: /\w\.$/ } }, name);
  const headers = { 'X-Strava-Signature': 't=1,v1=00' };
  t.match(await send(event({ owner_id: Number(account), object_id: 5 }), headers), { status: 200 });
  t.match(await send('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }), { status: 415 });
});

t.test('a signature is checked against the bytes that came', async (t) => {
  const signed = await startApi(t, { ...settings, ACTIVITYNET_CLIENT_SECRET: 'secret' });
  const { account } = await athlete(signed);
  const body = JSON.stringify(event({ owner_id: Number(account) }), null, 1);
  const { createHmac } = await import('node:crypto');
  const now = Math.floor(Date.now() / 1000);
  const digest = createHmac('sha256', 'secret').update(`${now}.${body}`).digest('hex');
  const send = (v1: string) =>
    signed.ask(hook, { method: 'POST', body, headers: { 'X-Strava-Signature': `t=${now},v1=${v1}` } });
  t.match(await send(digest), { body: { status: 'processed' } });
  t.match(await send('0'.repeat(64)), { status: 200, body: { status: 'skipped' } });
});

t.test('the webhook tells its health', async (t) => {
  t.match(await api.ask('/api/v1/webhooks/activitynet/health'), {
    status: 200,
    body: { status: 'ok', service: 'activitynet-webhook' },
  });
});

t.test(
  'while the ingest service is away an event is stored and answered 200; it is worked on later',
  async (t) => {
    const database = await freshDatabase(t);
    const bus = { database, natsUrl: natsUrl(), namespace: `away-${randomUUID()}` };
    const without = ['api-gateway', 'auth', 'users', 'timeseries', 'deliveries'];
    const edge = await joinApi(t, {
      ...bus,
      settings: { ...settings, RATE_LIMIT_ADDRESS: '100000' },
      services: without,
    });
    const { userId, account } = await athlete(edge);
    const answer = await edge.ask(hook, { method: 'POST', body: event({ owner_id: Number(account) }) });
    t.match(answer, { status: 200, body: { status: 'processed', message: /stored/ } });
    t.match(await database.query('select state from deliveries.delivery'), [{ state: 'ready' }]);
    t.equal(await edge.ask(query({ ...check, 'hub.verify_token': 'x' })).then(({ status }) => status), 503);
    await database.query(`update deliveries.delivery set run_at = now() - interval '1 second'`);
    const { startBroker } = await import('../../support/servers/broker.ts');
    const { activitynetIngestService } = await import(
      '../../../services/activitynet-ingest/activitynet-ingest.service.ts'
    );
    await startBroker(t, {
      databaseUrl: database.url,
      natsUrl: bus.natsUrl,
      namespace: bus.namespace,
      services: [activitynetIngestService()],
      settings,
    });
    const rows = () => database.query<{ user_id: string }>('select user_id from activitynet.activity');
    while ((await rows()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    t.same(await rows(), [{ user_id: userId }]);
  },
);

t.test('history is started, seen and cancelled over HTTP', async (t) => {
  const { userId } = await athlete();
  const path = `/users/${userId}/connections/activitynet/backfill`;
  await api.expect(404, path);
  const begun = await api.expect(202, path, { body: { days: 90 } });
  t.match(begun, { provider: 'activitynet', status: 'running', types: [{ type: 'activities' }] });
  await api.expect(409, path, { body: {} });
  t.match(await api.expect(200, path), { status: 'running' });
  t.match(await api.expect(200, path, { method: 'DELETE' }), { status: 'cancelled' });
});
