import { randomBytes, randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { createUser, createWearer, joinApi, startApi, type TestApi } from '../support/api.ts';
import { listen } from '../support/log-lines.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

/** Kinds of spans in OTLP. */
const [internal, server, client] = [1, 2, 3];
const strangers = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Two processes on a bus: the gateway and all others. Both send their telemetry at the latest when `stop` ends. */
async function startTwo(
  t: Test,
  { url }: OtlpReceiver,
  sample: string,
): Promise<TestApi & { stop(): Promise<unknown> }> {
  const joined = {
    database: await freshDatabase(t),
    natsUrl: natsUrl(),
    namespace: `test-${randomBytes(6).toString('hex')}`,
    settings: {
      RATE_LIMIT_ADDRESS: '100000',
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      TRACING_SAMPLE: sample,
    },
  };
  const behind = await joinApi(t, joined);
  const api = await joinApi(t, { ...joined, services: ['api-gateway'] });
  return { ...api, stop: () => Promise.all([api.broker.stop(), behind.broker.stop()]) };
}

t.test('a sampled request is one trace over the bus, without values and messages', async (t) => {
  const receiver = await startOtlpReceiver(t);
  const api = await startTwo(t, receiver, '1');
  const { userId, account } = await createWearer(api);
  const headers = { 'X-Request-Id': 'order.42', traceparent: strangers, tracestate: 'secret=1' };
  await api.ask(`/api/v1/users/${userId}?fields=hidden`, { key: api.apiKey, headers });
  await api.ask(`/api/v1/users/${randomUUID()}`, { key: api.apiKey });
  await api.stop();
  const mine = receiver.spans().filter(({ attributes }) => attributes['pulsebus.request_id'] === 'order.42');
  const root = mine.find(({ kind, name }) => kind === server && name === 'GET /users/:user_id');
  t.match(root, {
    parentSpanId: undefined,
    links: [{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }],
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/users/:user_id',
      'url.scheme': 'http',
    },
    resource: { 'service.name': 'pulsebus', 'service.version': /^\d/, 'deployment.environment.name': 'test' },
  });
  t.same(new Set(mine.map(({ traceId }) => traceId)).size, 1);
  t.not(root?.traceId, '0af7651916cd43dd8448eb211c80319c');
  for (const action of ['auth.admit', 'users.get']) {
    const caller = mine.find(({ kind, name }) => kind === client && name === action);
    const callee = mine.find(({ kind, name }) => kind === server && name === action);
    t.equal(caller?.parentSpanId, root?.spanId);
    t.equal(callee?.parentSpanId, caller?.spanId);
    t.not(callee?.resource['service.instance.id'], caller?.resource['service.instance.id']);
    const [service, method] = action.split('.');
    const rpc = { 'rpc.system': 'moleculer', 'rpc.service': service, 'rpc.method': method };
    t.match(callee?.attributes, rpc);
  }
  t.same(
    mine.filter(({ status }) => status.code === 2),
    [],
  );
  const failed = receiver.spans().filter(({ attributes }) => attributes['error.type'] === 'USER_NOT_FOUND');
  t.same(failed.map(({ name, kind, status }) => [name, kind, status]).toSorted(), [
    ['users.get', server, { code: 2 }],
    ['users.get', client, { code: 2 }],
  ]);
  const text = JSON.stringify(receiver.requests.map(({ body }) => body));
  for (const hidden of [userId, account, api.apiKey, 'secret=1', 'hidden']) t.notMatch(text, hidden);
  t.ok(receiver.requests.every(({ headers }) => Object(headers)['x-tenant'] === 'a b'));
});

t.test('calls within a process are internal spans', async (t) => {
  const receiver = await startOtlpReceiver(t);
  const settings = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`, TRACING_SAMPLE: '1' };
  const api = await startApi(t, settings);
  await createUser(api);
  await api.broker.stop();
  const created = receiver.spans().find(({ name }) => name === 'users.create');
  const root = receiver.spans().find(({ spanId }) => spanId === created?.parentSpanId);
  t.equal(created?.kind, internal);
  t.equal(root?.name, 'POST /users');
  t.same(receiver.metrics(), []);
});

t.test('no client can have a request sampled, and metrics are pushed', async (t) => {
  const receiver = await startOtlpReceiver(t);
  const api = await startTwo(t, receiver, '0');
  await api.ask('/api/v1/users', { key: api.apiKey, headers: { traceparent: strangers } });
  await api.stop();
  t.same(receiver.spans(), []);
  const names = new Set(receiver.metrics().map(({ name }) => name));
  for (const name of [
    'http.server.request.duration',
    'pulsebus_http_requests_total',
    'pulsebus_action_duration_seconds',
    'pulsebus_event_loop_utilization',
    'process_cpu_seconds_total',
  ])
    t.ok(names.has(name), name);
});

t.test('a collector that is away costs one warning per signal, and does not delay the stop', async (t) => {
  const lines = listen(t);
  const { url, close } = await startOtlpReceiver(t);
  close();
  const api = await startApi(t, {
    LOG_FORMAT: 'json',
    LOG_LEVEL: 'warn',
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    TRACING_SAMPLE: '1',
  });
  for (let asked = 0; asked < 700; asked += 1) await api.ask('/api/v1/users', { key: api.apiKey });
  await api.broker.stop();
  t.same(lines.map((line) => ['signal', 'code', 'event'].map((name) => line[name])).toSorted(), [
    ['metrics', 'ECONNREFUSED', 'telemetry.not_sent'],
    ['traces', 'ECONNREFUSED', 'telemetry.not_sent'],
  ]);
});
