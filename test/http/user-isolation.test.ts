import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { credentialsOf } from '../../domain/contract.ts';
import { endpoints, pathParameters } from '../../services/api-gateway/rules/endpoints.ts';
import { deliver } from '../services/summaries/deliver.ts';
import { bothProviders, brokenNights } from '../services/summaries/user-data.ts';
import { createUser, push, startApi, type TestApi, userToken } from '../support/api.ts';
import { fuller, together, vitalsAt } from '../support/combined-user-data.ts';

/*
 * Every read of every route, for one user who is alone in the database, and for the same user together with a second
 * one who has more data of the same times. A query without a condition on the user returns something else.
 */
const measuredMs = Date.now() - 3_600_000;
const life = together(bothProviders(), brokenNights(), vitalsAt(measuredMs));
const other = fuller(together(bothProviders(), brokenNights(), vitalsAt(measuredMs, 1)));

const range = 'start_time=2025-03-09&end_time=2025-03-25&limit=100';
const dates = 'start_date=2025-03-09&end_date=2025-03-25&limit=100';
// Without the audit entries: their times differ, and each export adds one.
const kinds = 'kinds=user,connection,workout,sleep,day,day_values,score,other,sample';
const reads: readonly (readonly [route: string, query: string])[] = [
  ['/users/:user_id', ''],
  ['/fhir/Patient/:user_id', ''],
  ['/users/:user_id/connections', ''],
  ['/users/:user_id/consents', 'start_time=2025-03-09&end_time=2025-03-25'],
  // Of a past time, because reads of the test itself are counted.
  ['/users/:user_id/accesses', 'start_time=2025-03-09&end_time=2025-03-25'],
  ['/users/:user_id/connections/:provider', ''],
  ['/users/:user_id/connections/:provider/backfill', ''],
  ['/users/:user_id/export', kinds],
  ...['raw', '1min', '5min', '15min', '1hour'].map(
    (resolution) => ['/users/:user_id/timeseries', `${range}&resolution=${resolution}`] as const,
  ),
  ...['raw', '1min', '1hour'].map(
    (resolution) => ['/users/:user_id/timeseries/download', `${range}&resolution=${resolution}`] as const,
  ),
  ['/users/:user_id/timeseries/download', `${range}&format=csv`],
  ['/users/:user_id/export', 'since=2025-03-12&kinds=workout,sleep,day,sample'],
  ['/users/:user_id/timeseries', `start_time=${measuredMs - 60_000}&end_time=${measuredMs + 60_000}`],
  ['/users/:user_id/events/workouts', dates],
  ['/users/:user_id/events/workouts', `${dates}&record_type=cycling`],
  ['/users/:user_id/events/sleep', dates],
  ['/users/:user_id/events/other', dates],
  ['/users/:user_id/days', dates],
  ['/users/:user_id/days', `${dates}&provider=devicemaker&sort_order=desc`],
  ['/users/:user_id/days/:date', ''],
  ['/users/:user_id/scores', dates],
  ['/users/:user_id/scores', `${dates}&kind=sleep&provider=devicemaker`],
  ['/users/:user_id/scores', `${dates}&category=sleep`],
  ['/users/:user_id/summaries/activity', dates],
  ['/users/:user_id/summaries/activity', `${dates}&sort_order=desc`],
  ['/users/:user_id/summaries/sleep', dates],
  ...[10, 2000].map(
    (points) =>
      [
        '/users/:user_id/timeseries/chart',
        `start_time=2025-03-09&end_time=2025-03-25&types=heart_rate,steps&max_points=${points}`,
      ] as const,
  ),
  ['/users/:user_id/imports', ''],
  ['/users/:user_id/source-priority', ''],
  ['/users/:user_id/route-privacy', ''],
  ['/users/:user_id/data-calendar', 'start_date=2025-03-01&end_date=2025-03-31'],
  ['/users/:user_id/data-calendar', 'start_date=2025-03-01&end_date=2025-03-31&counts=true'],
  ['/users/:user_id/summaries/body', 'average_period=7&latest_window_hours=4'],
  ['/users/:user_id/summaries/recovery', dates],
  ['/users/:user_id/baselines', `${dates}&explain=true`],
  ['/users/:user_id/insights', `${dates}&explain=true`],
  ['/users/:user_id/training', `${dates}&sex=male&explain=true`],
  ['/users/:user_id/glucose', 'end_date=2025-03-25'],
];
// Their answers for a stranger's record are below; a record has one owner, so that a fuller user changes nothing.
const kindsOfRecords = ['workouts', 'sleep', 'other'];
const byRecord = [
  ...kindsOfRecords.map((kind) => `/users/:user_id/events/${kind}/:event_id`),
  '/users/:user_id/imports/:import_id',
  '/users/:user_id/events/sleep/:event_id/stages',
  '/users/:user_id/events/workouts/:event_id/streams',
];

/** Follows from the change log a little later, so that two answers may differ. Its own test has several users. */
const inBackground = ['/users/:user_id/freshness'];
/** Each answer has the id of a new export. Its own test has several users. */
const ofNewIds = ['/fhir/Patient/:user_id/$export'];

const limits = { RATE_LIMIT_API_KEY: '100000', RATE_LIMIT_SDK: '100000', RATE_LIMIT_ADDRESS: '100000' };
const ofUser = endpoints
  .map(({ route }) => route)
  .filter(({ path, method }) => method === 'GET' && path.includes(':user_id'));

t.test('the table contains every route that reads a user', async (t) => {
  const asked = new Set([...reads.map(([route]) => route), ...byRecord, ...inBackground, ...ofNewIds]);
  t.strictSame(
    ofUser.map(({ path }) => path).filter((path) => !asked.has(path)),
    [],
  );
});

const api = await startApi(t, limits);
const ada = await deliverAll(api, life);
const bob = await deliverAll(api, other);
await withBackfill(api, bob);
const adasToken = await userToken(api, ada);

t.test('the data of another user changes no answer, of a user with data and of one without', async (t) => {
  const alone = await startApi(t, limits);
  const nobody = await createUser(alone);
  const answersOfNobody = await answersOf(alone, nobody);
  await alone.expect(200, `/users/${nobody}`, { method: 'DELETE' });
  const expected = await answersOf(alone, await deliverAll(alone, life));
  t.ok(expected.every(({ text }) => text.length > 2));
  t.strictSame(differences(expected, await answersOf(api, ada)), [], 'where the other one came later');

  const later = await startApi(t, limits);
  await withBackfill(later, await deliverAll(later, other));
  t.strictSame(differences(answersOfNobody, await answersOf(later, await createUser(later))), [], 'no data');
  const found = await answersOf(later, await deliverAll(later, life));
  t.strictSame(differences(expected, found), [], 'where the other one was there before');
});

t.test("a record is read under its owner's id only", async (t) => {
  const records = z.array(z.object({ id: z.string() })).min(1);
  for (const kind of ['workouts', 'sleep', 'other']) {
    const list = await api.expect(200, `/users/${bob}/events/${kind}?${dates}`);
    const [record] = records.parse(Reflect.get(Object(list), 'data'));
    const statusFor = async (userId: string) =>
      (await api.ask(`/api/v1/users/${userId}/events/${kind}/${record?.id}`, { key: api.apiKey })).status;
    t.same([await statusFor(bob), await statusFor(ada)], [200, 404], kind);
    if (kind !== 'sleep') continue;
    const stagesFor = async (userId: string) =>
      (await api.ask(`/api/v1/users/${userId}/events/sleep/${record?.id}/stages`, { key: api.apiKey }))
        .status;
    t.same([await stagesFor(bob), await stagesFor(ada)], [200, 404], 'stages');
  }
});

t.test("a user's token reads the path's user, whatever the query names", async (t) => {
  const wrong: string[] = [];
  // FHIR refuses an unknown parameter otherwise.
  const lenient = { token: adasToken, headers: { Prefer: 'handling=lenient' } };
  for (const { path } of ofUser) {
    const own = pathFor(path, ada);
    const query = reads.find(([route]) => route === path)?.[1] ?? '';
    const plain = await api.ask(`${own}?${query}`, { token: adasToken });
    const misled = await api.ask(`${own}?${query}&user_id=${bob}`, lenient);
    const isSame = ofNewIds.includes(path) || shown(plain.text) === shown(misled.text);
    if (plain.status !== misled.status || !isSame) wrong.push(path);
    const foreign = await api.ask(`${pathFor(path, bob)}?${query}&user_id=${ada}`, lenient);
    if (foreign.status !== 403) wrong.push(`${path}: ${foreign.status}`);
  }
  t.strictSame(wrong, []);
});

t.test("a user's token asks for its own user where only the query names one", async (t) => {
  const path = '/api/v1/connect/devicemaker/authorize';
  const asked = async (query: string) => (await api.ask(`${path}?${query}`, { token: adasToken })).status;
  t.equal(await asked(`user_id=${bob}`), 403);
  t.equal(await asked(`user_id=${bob}&user_id=${ada}`), 403);
  t.equal(await asked(''), 403);
});

t.test('a user_id in a body never replaces the one in the path', async (t) => {
  const before = await api.expect(200, `/users/${bob}`);
  const routes = endpoints.filter(
    ({ route }) => ['POST', 'PATCH'].includes(route.method) && pathParameters(route.path).includes('user_id'),
  );
  for (const { route } of routes) {
    const body = { user_id: bob, first_name: 'Changed', provider: 'activitynet', provider_user_id: 'x' };
    const path = pathFor(route.path, randomUUID());
    const answer = await api.ask(path, {
      method: route.method,
      body,
      ...(credentialsOf(route).includes('api-key') ? { key: api.apiKey } : { token: api.developerToken }),
    });
    // Apps take a 404 as final, so uploads for an unknown user are 403.
    const refusals = route.delivery === undefined ? [404, 422] : [403];
    t.ok(refusals.includes(answer.status), `${route.method} ${route.path}: ${answer.status}`);
  }
  await api.ask(`/api/v1/users/${randomUUID()}?user_id=${bob}`, { method: 'DELETE', key: api.apiKey });
  t.strictSame(await api.expect(200, `/users/${bob}`), before);
  t.match(await api.expect(200, `/users/${bob}/connections`), { length: 1 });
});

t.test('two API keys may use the same Idempotency-Key', async (t) => {
  const made = await api.ask('/api/v1/api-keys', { token: api.developerToken, body: { name: 'Second' } });
  const second = z.object({ key: z.string() }).parse(made.body).key;
  const create = (key: string, first_name: string) =>
    api.ask('/api/v1/users', { key, body: { first_name }, headers: { 'Idempotency-Key': 'shared' } });
  const one = await create(api.apiKey, 'One');
  const same = await create(second, 'One');
  t.same([one.status, same.status], [201, 201]);
  t.equal(same.headers.get('idempotent-replayed'), null);
  t.not(Reflect.get(Object(one.body), 'id'), Reflect.get(Object(same.body), 'id'));
  const own = await create(second, 'One');
  t.equal(own.text, same.text, 'each key is answered with its own user');
});

interface Read {
  readonly path: string;
  readonly text: string;
}

async function answersOf(api: TestApi, userId: string): Promise<Read[]> {
  const answers: Read[] = [];
  for (const [route, query] of reads)
    answers.push({
      path: `${route}?${query}`,
      text: shown(await readAll(api, pathFor(route, userId), query)),
    });
  return answers;
}

async function readAll(api: TestApi, path: string, query: string): Promise<string> {
  const Page = z.object({ pagination: z.object({ next_cursor: z.string().nullable() }) });
  const texts: string[] = [];
  let cursor: string | null = null;
  do {
    const from: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await api.ask(`${path}?${query}${from}`, { key: api.apiKey });
    texts.push(`${answer.status} ${answer.text}`);
    const page = Page.safeParse(answer.body);
    cursor = page.success ? page.data.pagination.next_cursor : null;
  } while (cursor !== null && texts.length < 12);
  return texts.join('\n');
}

/** An answer without what differs from one database to the next: ids, cursors, the times of writing. */
function shown(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/"(next_cursor|previous_cursor)":"[^"]*"/g, '"$1":"<cursor>"')
    .replace(/"(created_at|updated_at|last_synced_at|period_start|period_end)":"[^"]*"/g, '"$1":"<time>"');
}

function differences(expected: readonly Read[], found: readonly Read[]): string[] {
  return expected.filter(({ text }, index) => found[index]?.text !== text).map(({ path }) => path);
}

async function deliverAll(api: TestApi, all: typeof life): Promise<string> {
  const userId = await deliver(api, all);
  const connections = await api.expect(200, `/users/${userId}/connections`);
  const [account] = z.array(z.object({ provider_user_id: z.string() })).parse(connections);
  const moves = [0, 1, 2].map((day) => ({
    userId: account?.provider_user_id,
    summaryId: `m-${day}-${all.samples.length}`,
    startTimeInSeconds: Date.UTC(2025, 2, 11 + day, 8) / 1000,
    offsetInSeconds: 0,
    durationInSeconds: 600 + all.samples.length,
    activityType: 'Walking',
  }));
  await push(api, { moveiq: moves });
  return userId;
}

async function withBackfill({ database }: TestApi, userId: string): Promise<void> {
  await database.query(
    `insert into backfill.run (connection_id, user_id, provider, connected_at, start_time, end_time, state, finished_at)
     select id, user_id, provider, now(), now() - interval '1 day', now(), 'done', now()
     from users.connection where user_id = $1`,
    [userId],
  );
}

function pathFor(route: string, userId: string): string {
  const path = route
    .replace(':user_id', userId)
    .replace(':provider', 'devicemaker')
    .replace(':date', '2025-03-10')
    .replace(':event_id', randomUUID());
  return `/api/v1${path}`;
}
