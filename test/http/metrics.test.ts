import { readFileSync } from 'node:fs';
import type { ServiceBroker } from 'moleculer';
import t from 'tap';
import { z } from 'zod';
import { metricTable } from '../../runtime/telemetry/metric-table.ts';
import { metricsUrl } from '../../runtime/telemetry/metrics-server.ts';
import { newMetrics } from '../../runtime/telemetry/sdk-metrics.ts';
import { record, uploadOf } from '../services/phone-ingest/app.ts';
import { createUser, createWearer, push, startApi } from '../support/api.ts';
import { startCallbackServer } from '../support/callback-server.ts';
import { fullDay } from '../support/full-day.ts';
import { parsePrometheusText } from '../support/prometheus-text.ts';
import { startBroker } from '../support/servers/broker.ts';
import { until } from '../support/until.ts';

async function figures(broker: ServiceBroker): Promise<string> {
  const url = metricsUrl(broker);
  if (url === null) throw new Error('no figures are served');
  const answer = await fetch(url);
  if (answer.headers.get('content-type') !== 'text/plain; version=0.0.4; charset=utf-8')
    throw new Error('not the text format');
  return answer.text();
}

/** The value of a series by its name and labels; undefined if it is missing. */
function figure(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const receiver = await startCallbackServer(t);
const api = await startApi(t, {
  METRICS_PORT: '0',
  DATABASE_POOL: '7',
  WEBHOOK_ENDPOINT_ORIGINS: receiver.origin,
});

t.test('/metrics has requests by pattern, deliveries, samples, the pool and the process', async (t) => {
  const { userId, account } = await createWearer(api);
  const startMs = Date.UTC(2026, 0, 5);
  const hour = fullDay({ account, startMs, seconds: 3600, seed: 1 });
  await push(api, { dailies: [{ ...hour, moodOfTheDay: 'SECRET' }] });
  const odd = record('HEART_RATE', '2026-01-05T10:00:00Z', 61, { unit: 'furlongs' });
  // An upload without a zone of its own reads that of its user.
  const zoned = { headers: { 'Time-Zone': 'Europe/Warsaw' } };
  await api.expect(202, `/sdk/users/${userId}/sync`, { ...zoned, body: uploadOf({ records: [odd] }) });
  await api.expect(200, `/users/${userId}`);
  await api.expect(404, '/users/7b7a8c1e-5e0c-4a58-9d0f-1a2b3c4d5e6f');
  await api.ask('/nowhere/at/all');
  const text = await figures(api.broker);
  const http = (labels: string) => figure(text, `pulsebus_http_requests_total{${labels}}`);
  t.equal(http('route="/users/:user_id",method="GET",status="200"'), 1);
  t.equal(http('route="/users/:user_id",method="GET",status="404"'), 1);
  t.equal(http('route="none",method="GET",status="404"'), 1);
  t.equal(http('route="/webhooks/devicemaker/push",method="POST",status="200"'), 1);
  const duration = 'pulsebus_http_request_duration_seconds';
  t.equal(figure(text, `${duration}_count{route="/users/:user_id",method="GET"}`), 2);
  t.equal(figure(text, `${duration}_bucket{route="/users/:user_id",method="GET",le="+Inf"}`), 2);
  t.equal(figure(text, 'pulsebus_samples_stored_total{provider="devicemaker"}'), 240);
  const unlisted = 'provider="devicemaker",data_type="dailies",field="moodOfTheDay"';
  t.equal(figure(text, `pulsebus_unlisted_fields_total{${unlisted}}`), 1);
  t.equal(figure(text, 'pulsebus_upload_items_set_aside_total{field="unit"}'), 1);
  t.notMatch(text, /SECRET/);
  const readable = 'pulsebus_delivery_readable_seconds';
  t.equal(figure(text, `${readable}_count{provider="devicemaker",kind="push"}`), 1);
  t.equal(
    figure(text, 'pulsebus_deliveries_worked_total{provider="devicemaker",kind="push",state="done"}'),
    1,
  );
  t.equal(figure(text, 'pulsebus_action_duration_seconds_count{action="users.get",outcome="done"}'), 1);
  t.equal(
    figure(text, 'pulsebus_action_duration_seconds_count{action="users.get",outcome="USER_NOT_FOUND"}'),
    1,
  );
  t.equal(figure(text, 'pulsebus_provider_budget_left{provider="activitynet",window="day"}'), 1000);
  t.equal(figure(text, 'pulsebus_database_connections_limit{planning="once",server="primary"}'), 7);
  const reaches = (series: string, value: number) =>
    until(async () => figure(await figures(api.broker), series) === value);
  await reaches('pulsebus_database_connections{state="waiting",planning="each",server="primary"}', 0);
  await reaches('pulsebus_jobs_waiting{kind="auth.cleaning",state="waiting"}', 1);
  t.ok(Number(figure(text, 'process_resident_memory_bytes')) > 1e7);
  t.ok(Number(figure(text, 'pulsebus_event_loop_lag_seconds{quantile="0.99"}')) >= 0);
});

t.test('/metrics tells the messages of webhook endpoints', async (t) => {
  const endpoints: string[] = [];
  // Changes of the test before wait for more of the same for half a minute.
  await api.database.query('update changes.pending set due_at = now() where due_at > now()');
  const unpublished = 'select from changes.pending where due_at is not null';
  await until(async () => (await api.database.query(unpublished)).length === 0);
  for (const [path, code] of [
    ['/ok', 200],
    ['/failing', 500],
  ] as const) {
    const body = { url: `${receiver.origin}${path}`, event_types: ['user.created'] };
    endpoints.push(
      z.object({ id: z.string() }).parse(await api.expect(201, '/webhook-endpoints', { body })).id,
    );
    receiver.answer((req, res) => void res.writeHead(req.url === path ? code : 200).end());
  }
  await createUser(api);
  const [ok, failing] = endpoints;
  const attempts = (endpoint = '', outcome = '') =>
    `pulsebus_webhook_attempts_total{endpoint="${endpoint}",outcome="${outcome}"}`;
  await until(async () => {
    const text = await figures(api.broker);
    return figure(text, attempts(ok, 'delivered')) === 1 && figure(text, attempts(failing, 'failed')) === 1;
  });
  const text = await figures(api.broker);
  t.equal(figure(text, `pulsebus_webhook_received_seconds_count{endpoint="${ok}"}`), 1);
  t.equal(figure(text, `pulsebus_webhook_received_seconds_count{endpoint="${failing}"}`), undefined);
  t.equal(figure(text, `pulsebus_webhook_messages_waiting{endpoint="${ok}"}`), 0);
  t.equal(figure(text, `pulsebus_webhook_messages_waiting{endpoint="${failing}"}`), 1);
  t.equal(figure(text, `pulsebus_webhook_oldest_message_seconds{endpoint="${ok}"}`), 0);
  t.ok(Number(figure(text, `pulsebus_webhook_oldest_message_seconds{endpoint="${failing}"}`)) > 0);
});

t.test('/metrics has the queue and its dead letters', async (t) => {
  await api.database.query(`insert into deliveries.delivery
    (provider, kind, headers, body, priority, state, run_at, received_at, attempts, done_at) values
    ('devicemaker', 'push', '{}', 'x', 0, 'dead', now(), now() - interval '2 hours', 8, now()),
    ('activitynet', 'event', '{}', 'x', 0, 'ready', now() + interval '1 hour', now() - interval '1 minute', 1, null)`);
  const text = await figures(api.broker);
  t.equal(figure(text, 'pulsebus_deliveries{provider="devicemaker",state="dead"}'), 1);
  t.equal(figure(text, 'pulsebus_deliveries{provider="activitynet",state="waiting"}'), 1);
  t.ok(Number(figure(text, 'pulsebus_oldest_delivery_seconds{provider="activitynet"}')) >= 60);
  t.equal(figure(text, 'pulsebus_oldest_delivery_seconds{provider="devicemaker"}'), 0);
});

t.test('no label contains a user, a credential or an argument of the command line', async (t) => {
  const { userId, account } = await createWearer(api);
  await api.expect(200, `/users/${userId}/connections`);
  await api.ask(`/api/v1/api-keys/${api.apiKey}`, { method: 'DELETE', token: api.developerToken });
  await api.ask(`/api/v1/${account}`);
  await api.ask('/api/v1/health', { method: 'REPORT' }).catch(() => undefined);
  const text = await figures(api.broker);
  for (const hidden of [userId, account, api.apiKey, 'REPORT', process.argv[1] ?? '', import.meta.filename])
    t.notMatch(text, hidden);
  const others = text.replaceAll(/endpoint="[^"]*"/g, ''); // an endpoint belongs to an application
  t.notMatch(others, /[0-9a-f]{8}-[0-9a-f]{4}-/);
  t.notMatch(text, /arg(ument|v)/);
});

t.test(
  'the text has the Prometheus format: each family once, cumulative buckets up to the count',
  async (t) => {
    const metrics = newMetrics();
    const labels = { route: '/a"b\\c\nd', method: 'GET' };
    for (const seconds of [0.0005, 0.002, 0.3, 99])
      metrics.observe('pulsebus_http_request_duration_seconds', labels, seconds);
    const duration = 'pulsebus_http_request_duration_seconds';
    const shown = 'route="/a\\"b\\\\c\\nd",method="GET"';
    const samples = new Map(parsePrometheusText(await metrics.text()).get(duration));
    const bucket = (le: string) => samples.get(`${duration}_bucket{${shown},le="${le}"}`);
    t.same(['0.001', '0.0025', '0.25', '0.5', '30', '+Inf'].map(bucket), [1, 2, 2, 3, 3, 4]);
    t.equal(samples.get(`${duration}_sum{${shown}}`), 99.3025);
    const families = parsePrometheusText(await figures(api.broker));
    for (const name of families.keys()) t.ok(Object.hasOwn(metricTable, name), name);
    const named = [...(families.get('http_server_request_duration_seconds') ?? [])].map(([series]) => series);
    const route = 'http_request_method="GET",http_route="/users/:user_id",http_response_status_code="200"';
    t.ok(named.includes(`http_server_request_duration_seconds_count{${route},url_scheme="http"}`));
  },
);

t.test('concurrent scrapes share one collection, later ones get a new one', async (t) => {
  const metrics = newMetrics();
  let looks = 0;
  const end = metrics.onScrape(async () => {
    looks += 1;
    await new Promise((resolve) => setImmediate(resolve));
    metrics.set('pulsebus_provider_paused', { provider: 'activitynet' }, looks);
  });
  metrics.onScrape(() => Promise.reject(new Error('away'))); // costs its own figures only
  const [one, other] = await Promise.all([metrics.text(), metrics.text()]);
  t.equal(one, other);
  t.equal(figure(one, 'pulsebus_provider_paused{provider="activitynet"}'), 1);
  end();
  t.equal(figure(await metrics.text(), 'pulsebus_provider_paused{provider="activitynet"}'), undefined);
});

t.test('every metric and label of the dashboard is at /metrics', async (t) => {
  // The connections of this test, and the users whose insights are due, are known after the next looks at the change log.
  await until(async () => {
    const text = await figures(api.broker);
    return text.includes('pulsebus_freshness{') && text.includes('kind="insights.compute"');
  });
  const text = await figures(api.broker);
  const file = readFileSync(new URL('../../grafana/pulsebus.json', import.meta.url), 'utf8');
  const targets = z.array(z.looseObject({ expr: z.string() }));
  const { panels } = z
    .looseObject({ panels: z.array(z.looseObject({ title: z.string(), targets: targets.optional() })) })
    .parse(JSON.parse(file));
  const asked = panels.flatMap((panel) => (panel.targets ?? []).map(({ expr }) => expr));
  t.ok(asked.length > 20);
  for (const expr of asked) {
    const names = [...expr.matchAll(/\b(?:pulsebus|process|nodejs|http)_\w+/g)].map(([name]) => name);
    t.ok(names.length > 0, expr);
    for (const name of names) t.match(text, new RegExp(`^${name}[{ ]`, 'm'), name);
    for (const [, label = '', value = ''] of expr.matchAll(/(\w+)="([^"]*)"/g))
      t.match(text, `${label}="${value}"`, expr);
  }
  const named = asked.join(' ');
  for (const name of Object.keys(metricTable)) t.match(named, name, `${name} has a panel`);
});

t.test('other paths of that port are 404, and without METRICS_PORT there is no such port', async (t) => {
  const url = metricsUrl(api.broker) ?? '';
  t.equal((await fetch(url.replace('/metrics', '/'))).status, 404);
  t.equal((await fetch(url, { method: 'POST' })).status, 404);
  const { broker } = await startBroker(t, { databaseUrl: api.database.url, services: [] });
  t.equal(metricsUrl(broker), null);
});

t.test('a used METRICS_PORT disables metrics, not the service', async (t) => {
  const { port } = new URL(metricsUrl(api.broker) ?? '');
  const { broker } = await startBroker(t, {
    databaseUrl: api.database.url,
    services: [],
    settings: { METRICS_PORT: port },
  });
  t.equal(metricsUrl(broker), null);
  t.match(await figures(api.broker), 'pulsebus_http_requests_total');
});
