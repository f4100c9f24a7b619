import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { resourceId } from '../../domain/fhir/ids.ts';
import { databaseOf } from '../../mixins/database/database.ts';
import { endpoints } from '../../services/api-gateway/rules/endpoints.ts';
import { foldConnectionChanges } from '../../services/users/tables/connection-counts.ts';
import { foldChanges } from '../../services/users/tables/user-list.ts';
import { deliver } from '../services/summaries/deliver.ts';
import { bothProviders, brokenNights } from '../services/summaries/user-data.ts';
import { phone, steps, watch } from '../services/timeseries/interval-items.ts';
import { type Answer, type Ask, joinApi, type TestApi } from '../support/api.ts';
import { quietly } from '../support/rows/filling.ts';
import { fillStatements, rowsPerStatement, smallTables } from '../support/rows/many-rows.ts';
import { freshDatabase, type TestDatabase } from '../support/servers/database.ts';

const Page = z.object({
  data: z.array(z.object({ id: z.coerce.string().optional() })),
  pagination: z.object({ next_cursor: z.string().nullable() }),
});
const range = 'start_time=2025-03-01&end_time=2025-03-31';
const dates = 'start_date=2025-03-01&end_date=2025-03-31';
const asked = new Set<string>();

/** Steps that a watch and a phone both counted. */
async function storeIntervals({ call }: TestApi, user_id: string) {
  const nine = Date.parse('2025-03-10T09:00:00Z');
  const intervals = Array.from({ length: 200 }, (_, index) =>
    steps(nine + Math.floor(index / 2) * 600_000, 15, 100, { source: index % 2 }),
  );
  const sources = [watch, phone];
  await call('timeseries.storeIntervals', { user_id, provider: 'devicemaker', sources, intervals });
}

t.test('no route scans a growing table', async (t) => {
  const database = await freshDatabase(t);
  const writer = await start(t, database);
  const userId = await deliver(writer, bothProviders());
  await storeIntervals(writer, userId);
  const sleeper = await deliver(writer, brokenNights());
  await writer.broker.stop();
  await onOneConnection(database, ['begin', ...quietly(fillStatements), 'commit']);
  await fold(database);
  // Periodic tasks read whole tables within bounds; on a slow machine they would run beside the routes.
  await onOneConnection(database, [
    "update jobs.job set run_at = now() + interval '1 hour'",
    'vacuum analyze',
  ]);
  const before = await rowsScanned(database);
  const reader = await start(t, database);
  for (const id of [userId, sleeper]) await readEverything(t, reader, id);
  await reader.broker.stop();
  const after = await rowsScanned(database);
  const scanned = [...after]
    .map(([table, rows]) => [table, rows - (before.get(table) ?? 0)] as const)
    .filter(([table, rows]) => rows >= rowsPerStatement && !smallTables.has(table));
  t.strictSame(scanned, [], 'rows that scans of whole tables read');
  t.ok(after.size > 30, 'every table was looked at');
  const reads = endpoints.filter(({ route }) => route.method === 'GET').map(({ route }) => route.path);
  t.strictSame(
    reads.filter((path) => !asked.has(path)),
    [],
    'routes that nobody asked',
  );
});

t.test('the test detects a scan of a whole table', async (t) => {
  const database = await freshDatabase(t);
  await onOneConnection(database, fillStatements.slice(0, 1));
  const before = await rowsScanned(database);
  await onOneConnection(database, ["select from users.person where first_name like '%nobody'"]);
  const read = ((await rowsScanned(database)).get('person') ?? 0) - (before.get('person') ?? 0);
  t.equal(read, rowsPerStatement);
});

function start(t: Test, database: TestDatabase): Promise<TestApi> {
  return joinApi(t, { database, settings: { RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_API_KEY: '100000' } });
}

// PostgreSQL reports the reads of a session when it ends, so all sessions have ended here.
async function rowsScanned(database: TestDatabase): Promise<Map<string, number>> {
  return alone(database, async (client) => {
    const { rows } = await client.query<{ relname: string; read: string }>(
      `select relname, seq_tup_read as read from pg_stat_user_tables
       where schemaname not like '\\_timescaledb%' or relname like '\\_hyper%'`,
    );
    return new Map(rows.map(({ relname, read }) => [relname, Number(read)]));
  });
}

const others = `select from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;

async function alone<T>({ url }: TestDatabase, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    while ((await client.query(others)).rowCount !== 0) await setTimeout(20);
    return await work(client);
  } finally {
    await client.end();
  }
}

async function onOneConnection(database: TestDatabase, statements: readonly string[]): Promise<void> {
  await alone(database, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

// The users service does it within seconds of an import.
async function fold({ url }: TestDatabase): Promise<void> {
  const pool = new pg.Pool({ connectionString: url });
  await foldChanges(databaseOf(pool));
  await foldConnectionChanges(databaseOf(pool));
  await pool.end();
}

type Get = (
  route: string,
  query?: string,
  given?: Ask & { readonly id?: string; readonly endpointId?: string; readonly file?: string },
) => Promise<Answer>;

async function readEverything(t: Test, api: TestApi, userId: string): Promise<void> {
  const get: Get = async (route, query = '', { id = '', endpointId = '', file = '', ...given } = {}) => {
    asked.add(route);
    const path = route
      .replace(':user_id', userId)
      .replace(':project_id', 'default')
      .replace(':provider', 'devicemaker')
      .replace(':event_id', id)
      .replace(':date', '2025-03-10')
      .replace(':delivery_id', id)
      .replace(':run_id', id)
      .replace(':import_id', id)
      .replace(/:(device|observation|export)_id/, id)
      .replace(':file', file)
      .replace(':endpoint_id', endpointId)
      .replace(':project_id', 'default');
    const answer = await api.ask(`/api/v1${path}?${query}`, {
      ...(given.token === undefined ? { key: api.apiKey } : {}),
      ...given,
    });
    t.ok(answer.status < 500 || answer.status === 501, `${route}?${query}: ${answer.status}`);
    return answer;
  };
  for (const resolution of ['raw', '1min', '5min', '15min', '1hour']) {
    await readPages(get, '/users/:user_id/timeseries', `${range}&resolution=${resolution}`);
    await get('/users/:user_id/timeseries/download', `${range}&resolution=${resolution}`);
  }
  for (const points of [10, 200, 2000])
    await get('/users/:user_id/timeseries/chart', `${range}&types=heart_rate,steps&max_points=${points}`);
  for (const resolution of ['finest', '1hour', '1week'])
    await get('/users/:user_id/timeseries/chart', `${range}&types=heart_rate&resolution=${resolution}`);
  await get('/users/:user_id/timeseries/download', `${range}&types=heart_rate&format=csv`);
  for (const kind of ['workouts', 'sleep', 'other']) {
    const id = await readPages(get, `/users/:user_id/events/${kind}`, dates);
    await get(`/users/:user_id/events/${kind}/:event_id`, '', { id: id ?? randomUUID() });
    if (kind === 'sleep')
      await get('/users/:user_id/events/sleep/:event_id/stages', '', { id: id ?? randomUUID() });
  }
  const ride = await readPages(get, '/users/:user_id/events/workouts', `${dates}&record_type=running`);
  for (const format of ['json', 'geojson', 'gpx', 'tcx'])
    await get('/users/:user_id/events/workouts/:event_id/streams', `format=${format}`, {
      id: ride ?? randomUUID(),
    });
  for (const order of ['asc', 'desc'])
    await readPages(get, '/users/:user_id/summaries/activity', `${dates}&sort_order=${order}`);
  await readPages(get, '/users/:user_id/summaries/sleep', dates);
  for (const filter of ['', '&provider=devicemaker&sort_order=desc'])
    await readPages(get, '/users/:user_id/days', `${dates}${filter}`);
  await get('/users/:user_id/days/:date');
  await readPages(get, '/users/:user_id/scores', dates);
  await get('/users/:user_id/summaries/body', 'average_period=7');
  await readPages(get, '/users/:user_id/summaries/recovery', dates);
  for (const what of ['baselines', 'insights', 'training'])
    await readPages(get, `/users/:user_id/${what}`, dates);
  await get('/users/:user_id/glucose', 'end_date=2025-03-14');
  for (const filter of ['', '&types=heart_rate', '&providers=devicemaker'])
    await get('/users/:user_id/data-calendar', `${dates}${filter}`);
  await get('/fhir/metadata');
  for (const query of [`_id=${userId}`, 'identifier=e77', '_count=20']) await get('/fhir/Patient', query);
  await get('/fhir/Patient/:user_id');
  await get('/fhir/Device', `patient=${userId}`);
  await get('/fhir/Device/:device_id', '', { id: resourceId(userId, 'x') });
  for (const order of ['date', '-date']) {
    const query = `patient=${userId}&_sort=${order}`;
    const page = await get('/fhir/Observation', `${query}&date=ge2025-03-10`);
    for (const code of ['8867-4', '55423-8', '85354-9', '93832-4', '55411-3', '41950-7'])
      await get('/fhir/Observation', `${query}&code=${code}`);
    for (const [, id = ''] of page.text.matchAll(/"id":"([^"]+)"/g))
      await get('/fhir/Observation/:observation_id', '', { id });
  }
  await get('/fhir/Observation', `patient=${userId}&_lastUpdated=ge2026-01-01`);
  await get('/fhir/$export');
  const started = await get('/fhir/Patient/:user_id/$export', '_since=2026-01-01');
  const [, exportId = ''] = /export\/([\w.-]+)/.exec(started.text) ?? [];
  await get('/fhir/export/:export_id', '', { id: exportId });
  for (const type of ['Patient', 'Device', 'Observation'])
    await get('/fhir/export/:export_id/:file', '', { id: exportId, file: `${type}.1-of-1.ndjson` });
  await get('/users/:user_id/export', 'format=omh');
  await get('/users/:user_id/source-priority');
  await get('/users/:user_id/route-privacy');
  await get('/users/:user_id/export');
  await get('/users/:user_id/export', 'since=2025-03-10&kinds=workout,sample,day');
  await get('/users', 'search=crowd+1999');
  await get('/users', 'email=c77@example.com');
  await get('/users', 'provider=devicemaker&connection_status=expired');
  for (const page of [1, 500, 1000]) await get('/users', `page=${page}&limit=20`);
  for (const path of ['', '/connections', '/connections/:provider', '/connections/:provider/backfill'])
    await get(`/users/:user_id${path}`);
  await get('/users/:user_id/freshness');
  for (const filter of ['', 'state=fresh&provider=devicemaker']) await get('/freshness', filter);
  await get('/incidents');
  await get('/users/:user_id/imports');
  await get('/users/:user_id/imports/:import_id', '', { id: randomUUID() });
  const delivery = await readPages(get, '/deliveries', 'status=done');
  for (const path of ['', '/body'])
    await get(`/deliveries/:delivery_id${path}`, '', { id: delivery ?? randomUUID() });
  for (const state of ['waiting', 'dead']) await get('/jobs', `state=${state}`);
  await get('/deliveries', 'status=dead');
  for (const provider of ['devicemaker', 'activitynet'])
    await readPages(get, '/deliveries', `status=done&provider=${provider}`);
  const developer: Ask = { token: api.developerToken, headers: {} };
  await readPages((route, query) => get(route, query, developer), '/users/:user_id/accesses', '');
  await readPages(get, '/users/:user_id/consents', '');
  await get('/audit', `user_id=${userId}`, developer);
  await get('/reprocess-runs/:run_id', '', { ...developer, id: randomUUID() });
  await readPages((route, query) => get(route, query, developer), '/audit', '');
  for (const filter of ['', `user_id=${userId}`, 'types=workout.created,user.updated'])
    await get('/changes', filter);
  await get('/destinations');
  await get('/destinations/:destination_id', '', { id: randomUUID() });
  const [endpoint] = await readEndpoints(get);
  for (const path of ['', '/messages'])
    await get(`/webhook-endpoints/:endpoint_id${path}`, '', { endpointId: endpoint ?? '' });
  await get('/connect/:provider/authorize', `user_id=${userId}`);
  await get('/connect/:provider/callback', 'state=nobody&code=x');
  await get('/connect/:provider/result', 'status=connected');
  for (const path of [
    '/health',
    '/ready',
    '/status',
    '/status/received',
    '/overview',
    '/providers',
    '/api-keys',
    '/applications',
  ])
    await get(path);
  for (const path of [
    '/auth/me',
    '/developers',
    '/api-keys',
    '/applications',
    '/projects',
    '/projects/:project_id/providers',
    '/projects/:project_id',
    '/members',
    '/retention',
    '/auth/totp',
    '/auth/passkeys',
    '/invitations',
  ])
    await get(path, '', developer);
  for (const path of ['devicemaker/health', 'activitynet/health', 'activitynet/webhook', 'withings/notify'])
    await get(`/webhooks/${path}`);
  await get('/webhooks/oura/events');
}

async function readEndpoints(get: Get): Promise<string[]> {
  const { body } = await get('/webhook-endpoints');
  return z
    .array(z.object({ id: z.string() }))
    .parse(body)
    .map(({ id }) => id);
}

/** Three pages forward and one back; returns the id of the first record if records have one. */
async function readPages(get: Get, route: string, query: string): Promise<string | undefined> {
  const first = Page.parse((await get(route, `${query}&limit=5`)).body);
  let cursor = first.pagination.next_cursor;
  for (let page = 0; page < 2 && cursor !== null; page += 1)
    cursor = Page.parse((await get(route, `${query}&limit=5&cursor=${cursor}`)).body).pagination.next_cursor;
  return first.data[0]?.id;
}
