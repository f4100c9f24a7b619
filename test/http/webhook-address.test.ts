import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { metricsUrl } from '../../runtime/telemetry/metrics-server.ts';
import { type Ask, createWearer, joinApi, startApi, type TestApi } from '../support/api.ts';
import { memberToken } from '../support/members.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

const secrets = {
  devicemaker: 'devicemaker-secret-of-the-tests-0001',
  older: 'devicemaker-secret-of-the-tests-0000',
  activitynet: 'activitynet_secret_of_the_tests_0001',
};
const settings = {
  WEBHOOK_SECRET_DEVICEMAKER: `${secrets.devicemaker}, ${secrets.older}`,
  WEBHOOK_SECRET_ACTIVITYNET: secrets.activitynet,
  ACTIVITYNET_VERIFY_TOKEN: 'a token of the tests',
};
const pushPath = '/api/v1/webhooks/devicemaker/push';
const eventPath = '/api/v1/webhooks/activitynet/webhook';
const headers = { 'devicemaker-client-id': 'tests' };
const check = '?hub.mode=subscribe&hub.challenge=abc&hub.verify_token=a%20token%20of%20the%20tests';

function daily(account: string, steps: number) {
  return {
    userId: account,
    summaryId: `x${randomBytes(4).toString('hex')}`,
    calendarDate: '2026-01-05',
    startTimeInSeconds: Date.UTC(2026, 0, 5) / 1000,
    startTimeOffsetInSeconds: 0,
    durationInSeconds: 86_400,
    steps,
  };
}

/** The kinds of the deliveries, in the order of their arrival. */
async function kept(api: TestApi) {
  const rows = await api.database.query<{ kind: string }>(
    'select kind from deliveries.delivery order by received_at, id',
  );
  return rows.map(({ kind }) => kind);
}

t.test('a secret address accepts what the plain one accepts', async (t) => {
  const api = await startApi(t, settings);
  const { userId, account } = await createWearer(api);
  const body = { dailies: [daily(account, 4321)] };
  const send = (path: string, ask: Ask = {}) => api.ask(path, { body, headers, ...ask });
  for (const path of [`${pushPath}/${secrets.devicemaker}`, `${pushPath}/${secrets.older}/`, pushPath])
    t.match((await send(path)).body, { wellness: { dailies: { processed: 1 } } }, 'data is taken in');
  t.same(await kept(api), ['push', 'push', 'push']);
  const days = `/users/${userId}/summaries/activity?start_date=2026-01-05&end_date=2026-01-05`;
  t.match(await api.expect(200, days), { data: [{ steps: 4321 }] });
  t.equal((await send(`${pushPath}/${secrets.devicemaker}`, { headers: {} })).status, 401, 'no header');
  const event = await api.ask(`${eventPath}/${secrets.activitynet}?x=1`, { body: {} });
  t.match(event, { status: 200, body: { status: 'skipped' } });
  t.equal((await kept(api)).at(-1), 'event');
  const ping = await api.ask(`/api/v1/webhooks/devicemaker/ping/${secrets.devicemaker}`, { body, headers });
  t.equal(ping.status, 200);
  t.equal((await kept(api)).at(-1), 'ping');
});

t.test('what a sender proves itself with is not stored', async (t) => {
  const api = await startApi(t, settings);
  const proofs = { Authorization: 'Bearer of-a-sender', Cookie: 'session=of-a-sender' };
  const sent = await api.ask(`${pushPath}/${secrets.devicemaker}`, {
    ...{ body: { dailies: [] }, headers: { ...headers, ...proofs } },
  });
  t.equal(sent.status, 200);
  const rows = await api.database.query('select headers from deliveries.delivery');
  t.match(rows, [{ headers: { 'content-type': 'application/json' } }]);
  t.notMatch(JSON.stringify(rows), /of-a-sender/);
});

t.test('the secret address answers the subscription check', async (t) => {
  const api = await startApi(t, settings);
  const answer = await api.ask(`${eventPath}/${secrets.activitynet}${check}`);
  t.match(answer, { status: 200, body: { 'hub.challenge': 'abc' } });
  const refused = await api.ask(`${eventPath}/${secrets.activitynet}${check}x`);
  t.match(refused, { status: 403, body: { detail: 'Invalid verify token' } });
});

t.test('a wrong secret is an unknown route, and counts against its address', async (t) => {
  const api = await startApi(t, { ...settings, RATE_LIMIT_ADDRESS: '12' });
  const unknown = await api.ask('/api/v1/webhooks/devicemaker/nothing/here', { body: {}, headers });
  const wrong = [
    `${pushPath}/${secrets.activitynet}`,
    `${pushPath}/${secrets.devicemaker}x`,
    `${pushPath}/${secrets.devicemaker.slice(0, -1)}`,
    `${pushPath}/${secrets.devicemaker}/more`,
    `/api/v1/webhooks/devicemaker/health/${secrets.devicemaker}`,
  ];
  for (const path of wrong) {
    const { status, text } = await api.ask(path, { body: {}, headers });
    t.same([status, text], [404, unknown.text], path.slice(pushPath.length));
  }
  t.equal((await api.ask(`${pushPath}/${secrets.devicemaker}x`)).status, 404, 'nor another method');
  const options = { method: 'OPTIONS' };
  t.equal((await api.ask(`${pushPath}/${secrets.devicemaker}x`, options)).status, 404);
  t.equal((await api.ask(`${pushPath}/${secrets.devicemaker}`, options)).status, 204);
  t.equal((await api.ask(`${pushPath}/${secrets.devicemaker}`, { method: 'DELETE' })).status, 405);
  const tries = [];
  for (let i = 0; i < 5; i += 1) tries.push((await api.ask(`${pushPath}/nothing`, { body: {} })).status);
  t.same(tries, [404, 404, 404, 404, 429]);
  t.same(await kept(api), [], 'nothing of it is stored');
  const right = await api.ask(`${pushPath}/${secrets.devicemaker}`, { body: {}, headers });
  t.equal(right.status, 200, 'the provider behind the same address is not shut out');
});

t.test('without a secret there is no secret address', async (t) => {
  const api = await startApi(t);
  for (const secret of ['', 'undefined', secrets.devicemaker])
    t.equal((await api.ask(`${pushPath}/${secret}x`, { body: {}, headers })).status, 404);
});

t.test('WEBHOOK_PLAIN=false refuses the plain addresses, the subscription check too', async (t) => {
  const api = await startApi(t, { ...settings, WEBHOOK_PLAIN: 'false' });
  const { account } = await createWearer(api);
  const body = { dailies: [daily(account, 1)] };
  const refusal = { status: 403, body: { detail: /secret address/ } };
  t.match(await api.ask(pushPath, { body, headers }), refusal);
  t.match(await api.ask('/api/v1/webhooks/devicemaker/ping', { body, headers }), refusal);
  t.match(await api.ask(eventPath, { body: {} }), refusal);
  t.match(await api.ask(`${eventPath}${check}`), refusal);
  t.equal((await api.ask(pushPath, { body })).status, 401, 'the header is looked for first');
  t.same(await kept(api), []);
  t.equal((await api.ask(`${pushPath}/${secrets.devicemaker}`, { body, headers })).status, 200);
  t.equal((await api.ask(`${eventPath}/${secrets.activitynet}`, { body: {} })).status, 200);
  t.equal((await api.ask(`${eventPath}/${secrets.activitynet}${check}`)).status, 200);
  t.equal((await api.ask('/api/v1/webhooks/activitynet/health')).status, 200);
  t.equal((await api.ask('/api/v1/webhooks/devicemaker/health')).status, 200);
});

t.test('only networks listed for a provider may send its webhooks', async (t) => {
  const api = await startApi(t, {
    ...settings,
    TRUSTED_PROXIES: '127.0.0.1',
    WEBHOOK_SENDERS_DEVICEMAKER: '203.0.113.0/24, 2001:db8::/32',
  });
  const from = async (address: string, path: string) =>
    (await api.ask(path, { body: {}, headers: { ...headers, 'X-Forwarded-For': address } })).status;
  const secretPath = `${pushPath}/${secrets.devicemaker}`;
  for (const path of [pushPath, secretPath]) {
    t.equal(await from('203.0.113.9', path), 200);
    t.equal(await from('2001:db8::1', path), 200);
    t.equal(await from('::ffff:203.0.113.9', path), 200);
    t.equal(await from('203.0.114.9', path), 403);
    t.equal(await from('2001:db9::1', path), 403);
  }
  t.equal(await from('203.0.114.9', eventPath), 200, 'the other provider has no list');
});

const Status = z.object({
  providers: z.record(
    z.string(),
    z.object({ webhook_addresses: z.record(z.string(), z.string()).nullable() }),
  ),
});

t.test('GET /status shows the addresses to those only who may have credentials', async (t) => {
  const api = await startApi(t, { ...settings, PUBLIC_URL: 'https://pulsebus.example/' });
  const as = async (who: Ask) => Status.parse((await api.ask('/api/v1/status', who)).body).providers;
  const shown = await as({ token: api.developerToken });
  const at = 'https://pulsebus.example/api/v1/webhooks';
  t.same(shown.devicemaker?.webhook_addresses, {
    push: `${at}/devicemaker/push/${secrets.devicemaker}`,
    ping: `${at}/devicemaker/ping/${secrets.devicemaker}`,
  });
  t.same(shown.activitynet?.webhook_addresses, {
    event: `${at}/activitynet/webhook/${secrets.activitynet}`,
  });
  for (const role of ['admin', 'developer'] as const)
    t.same(await as({ token: await memberToken(api, role) }), shown);
  for (const role of ['support', 'analyst'] as const) {
    const hidden = await as({ token: await memberToken(api, role) });
    t.same(await as({ key: api.apiKey }), hidden);
    t.same(
      Object.values(hidden).filter((one) => one.webhook_addresses !== null),
      [],
    );
  }
});

/** Everything that brokers of this process write to a console from now on. */
function listen(t: Test): string[] {
  const lines: string[] = [];
  for (const name of ['log', 'warn', 'error', 'info', 'debug', 'trace'] as const) {
    const said = console[name];
    console[name] = (...texts: unknown[]) => void lines.push(texts.map(String).join(' '));
    t.teardown(() => {
      console[name] = said;
    });
  }
  return lines;
}

t.test('no log, trace, metric, list or answer contains a secret, over the bus', async (t) => {
  const receiver = await startOtlpReceiver(t);
  const lines = listen(t);
  const joined = {
    database: await freshDatabase(t),
    natsUrl: natsUrl(),
    namespace: `test-${randomBytes(6).toString('hex')}`,
    settings: {
      ...settings,
      ...{ LOG_LEVEL: 'trace', RATE_LIMIT_ADDRESS: '100000', METRICS_PORT: '0' },
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, TRACING_SAMPLE: '1' },
    },
  };
  const behind = await joinApi(t, joined);
  const api = await joinApi(t, { ...joined, services: ['api-gateway', 'deliveries'] });
  const { account } = await createWearer(api);
  const at = `${pushPath}/${secrets.devicemaker}`;
  const answers = [
    await api.ask(at, { body: { dailies: [daily(account, 1)], deregistrations: [{}] }, headers }),
    await api.ask(at, { body: '{', headers }),
    await api.ask(at, { body: 'x', headers: { ...headers, 'Content-Type': 'text/plain' } }),
    await api.ask(at, { body: {}, headers: {} }),
    await api.ask(at, { method: 'DELETE' }),
    await api.ask(`${at}/more`, { body: {}, headers }),
    await api.ask(`${eventPath}/${secrets.activitynet}${check}`),
    await api.ask(`${eventPath}/${secrets.activitynet}`, { body: {} }),
  ];
  await api.expect(200, '/status', { token: api.developerToken });
  const lists = await Promise.all(
    ['ready', 'working', 'done', 'dead'].map((status) => api.expect(200, `/deliveries?status=${status}`)),
  );
  const rows = await api.database.query('select headers, answer, error from deliveries.delivery');
  const figures = await Promise.all(
    [api.broker, behind.broker].map(async (broker) => (await fetch(metricsUrl(broker) ?? '')).text()),
  );
  await Promise.all([api.broker.stop(), behind.broker.stop()]); // spans are sent at the latest now
  const texts = {
    lines,
    telemetry: receiver.requests.map(({ body }) => body),
    answers: answers.map(({ text, headers }) => text + JSON.stringify([...headers])),
    lists: lists.map((one) => JSON.stringify(one)),
    rows: rows.map((row) => JSON.stringify(row)),
    figures,
  };
  for (const [name, all] of Object.entries(texts)) {
    t.ok(all.join('').length > 100, `${name} were looked at`);
    for (const secret of Object.values(secrets))
      t.same(
        all.filter((text) => text.includes(secret)),
        [],
        name,
      );
  }
  t.ok(receiver.spans().some(({ name }) => name === 'POST /webhooks/devicemaker/push'));
});
