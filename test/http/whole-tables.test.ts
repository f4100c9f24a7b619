import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { credentialsOf } from '../../domain/contract.ts';
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
import { queriesOf } from './routes/rows.ts';
import { fieldsOf } from './routes/wrong-values.ts';

const Page = z.object({ pagination: z.object({ next_cursor: z.string().nullable() }) });

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
  return joinApi(t, {
    database,
    settings: { RATE_LIMIT_ADDRESS: '100000', RATE_LIMIT_API_KEY: '100000', RATE_LIMIT_DEVELOPER: '100000' },
  });
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

type Ids = Readonly<Record<string, string>>;
const keyRoutes = new Set<string>(
  endpoints.filter(({ route }) => credentialsOf(route).includes('api-key')).map(({ route }) => route.path),
);
type Get = (route: string, query: string, ids?: Ids) => Promise<Answer>;
const pagedRoutes = new Set<string>(
  endpoints.filter((one) => fieldsOf(one).some(([name]) => name === 'cursor')).map(({ route }) => route.path),
);

async function readEverything(t: Test, api: TestApi, userId: string): Promise<void> {
  const asOwner: Ask = { token: api.developerToken };
  const offenders: string[] = [];
  const get: Get = async (route, query, ids = {}) => {
    const path = `${route}?${query}`.replaceAll(
      /:([a-z_]+)/g,
      (_, name: string) => ids[name] ?? sameIds[name] ?? randomUUID(),
    );
    const answer = await api.ask(`/api/v1${path}`, keyRoutes.has(route) ? { key: api.apiKey } : asOwner);
    if (answer.status >= 500 && answer.status !== 501) offenders.push(`${path}: ${answer.status}`);
    return answer;
  };
  const sameIds: Readonly<Record<string, string>> = {
    user_id: userId,
    project_id: 'default',
    provider: 'devicemaker',
    date: '2025-03-10',
    device_id: resourceId(userId, 'x'),
  };
  for (const { route } of endpoints.filter((one) => one.route.method === 'GET')) {
    const { path } = route;
    for (const query of [...queriesOf(path), ...(moreQueries[path] ?? [])])
      for (const ids of await idsFor(get, path)) await readPages(get, path, query, ids);
  }
  t.strictSame(offenders, []);
}

/** Queries whose answers differ from one reading to the next, so that no other test asks them. */
const moreQueries: Readonly<Record<string, readonly string[]>> = {
  '/users/:user_id/accesses': [''],
  '/users/:user_id/consents': [''],
  '/users/:user_id/export': ['', 'format=omh'],
};

/** The ids with which a path is read: of the first record of the list that it belongs to. */
async function idsFor(get: Get, path: string): Promise<readonly Ids[]> {
  const [, list = '', name = ''] = /^(.*)\/:(event|delivery|endpoint)_id/.exec(path) ?? [];
  if (name !== '') {
    const { text } = await get(list, queriesOf(list)[0] ?? '');
    return [{ [`${name}_id`]: /"id":"?([\w-]+)/.exec(text)?.[1] ?? randomUUID() }];
  }
  if (path.endsWith('/:observation_id')) {
    const pages = await Promise.all(
      ['date', '-date'].map((order) => get('/fhir/Observation', `patient=:user_id&_sort=${order}`)),
    );
    const found = pages.flatMap(({ text }) => [...text.matchAll(/"id":"([^"]+)"/g)]);
    return found.map(([, observation_id = '']) => ({ observation_id }));
  }
  if (!path.includes(':export_id')) return [{}];
  const started = await get('/fhir/Patient/:user_id/$export', '_since=2026-01-01');
  const [, export_id = ''] = /export\/([\w.-]+)/.exec(started.text) ?? [];
  return ['Patient', 'Device', 'Observation'].map((type) => ({ export_id, file: `${type}.1-of-1.ndjson` }));
}

/** Three pages, if the answer has several. */
async function readPages(get: Get, route: string, query: string, ids: Ids): Promise<void> {
  const isPaged = pagedRoutes.has(route);
  const first = isPaged ? `${query}&limit=5` : query;
  let page = Page.safeParse((await get(route, first, ids)).body);
  for (let more = 0; more < 2 && isPaged && page.data?.pagination.next_cursor; more += 1)
    page = Page.safeParse(
      (await get(route, `${first}&cursor=${page.data.pagination.next_cursor}`, ids)).body,
    );
}
