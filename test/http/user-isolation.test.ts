import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { endpoints } from '../../services/api-gateway/rules/endpoints.ts';
import { deliver } from '../services/summaries/deliver.ts';
import { bothProviders, brokenNights } from '../services/summaries/user-data.ts';
import { createUser, push, startApi, type TestApi, userToken } from '../support/api.ts';
import { fuller, together, vitalsAt } from '../support/combined-user-data.ts';
import { queriesOf } from './routes/rows.ts';
import { fieldsOf } from './routes/wrong-values.ts';

/*
 * Every read of every route, for one user who is alone in the database, and for the same user together with a second
 * one who has more data of the same times. A query without a condition on the user returns something else.
 */
const measuredMs = Date.now() - 3_600_000;
const life = together(bothProviders(), brokenNights(), vitalsAt(measuredMs));
const other = fuller(together(bothProviders(), brokenNights(), vitalsAt(measuredMs, 1)));

const measured = `start_time=${measuredMs - 60_000}&end_time=${measuredMs + 60_000}`;
const limits = { RATE_LIMIT_API_KEY: '100000', RATE_LIMIT_SDK: '100000', RATE_LIMIT_ADDRESS: '100000' };
const ofUser = endpoints
  .map(({ route }) => route)
  .filter(({ path, method }) => method === 'GET' && path.includes(':user_id'));
// A record has one owner, so that the data of another user changes nothing. Strangers' records are tested below.
const isOfRecord = (path: string) => /:(event|import)_id/.test(path);
/** Follows from the change log a little later, so that two answers may differ. Its own test has several users. */
const inBackground = '/users/:user_id/freshness';
/** Each answer has the id of a new export. Its own test has several users. */
const ofNewIds = '/fhir/Patient/:user_id/$export';
const paged = new Set<string>(
  endpoints.filter((one) => fieldsOf(one).some(([name]) => name === 'limit')).map(({ route }) => route.path),
);
const reads = [
  ...ofUser
    .map(({ path }) => path)
    .filter((path) => !isOfRecord(path) && path !== inBackground && path !== ofNewIds)
    .flatMap((path) => queriesOf(path).map((query) => [path, query] as const)),
  ['/users/:user_id/timeseries', measured] as const,
];

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
    const list = await api.expect(
      200,
      `/users/${bob}/events/${kind}?${queriesOf('/users/:user_id/events/other')}`,
    );
    const [record] = records.parse(Reflect.get(Object(list), 'data'));
    for (const { path } of ofUser.filter((route) => route.path.includes(`/${kind}/:event_id`))) {
      const statusFor = async (userId: string) =>
        (await api.ask(pathFor(path, userId, record?.id), { key: api.apiKey })).status;
      t.same([await statusFor(bob), await statusFor(ada)], [200, 404], path);
    }
  }
});

t.test("a user's token reads the path's user, whatever the query names", async (t) => {
  const wrong: string[] = [];
  // FHIR refuses an unknown parameter otherwise.
  const lenient = { token: adasToken, headers: { Prefer: 'handling=lenient' } };
  for (const { path } of ofUser) {
    const own = pathFor(path, ada);
    const [query = ''] = queriesOf(path);
    const plain = await api.ask(`${own}?${query}`, { token: adasToken });
    const misled = await api.ask(`${own}?${query}&user_id=${bob}`, lenient);
    const isSame = path === ofNewIds || shown(plain.text) === shown(misled.text);
    if (plain.status !== misled.status || !isSame) wrong.push(path);
    const foreign = await api.ask(`${pathFor(path, bob)}?${query}&user_id=${ada}`, lenient);
    if (foreign.status !== 403) wrong.push(`${path}: ${foreign.status}`);
  }
  t.strictSame(wrong, []);
});

interface Read {
  readonly path: string;
  readonly text: string;
}

async function answersOf(api: TestApi, userId: string): Promise<Read[]> {
  const answers: Read[] = [];
  for (const [route, query] of reads)
    answers.push({ path: `${route}?${query}`, text: shown(await readAll(api, route, userId, query)) });
  return answers;
}

async function readAll(api: TestApi, route: string, userId: string, query: string): Promise<string> {
  const Page = z.object({ pagination: z.object({ next_cursor: z.string().nullable() }) });
  const path = pathFor(route, userId);
  const limit = paged.has(route) ? '&limit=100' : '';
  const texts: string[] = [];
  let cursor: string | null = null;
  do {
    const from: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await api.ask(`${path}?${query}${from}${limit}`, {
      key: api.apiKey,
    });
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

function pathFor(route: string, userId: string, eventId: string = randomUUID()): string {
  const path = route
    .replace(':user_id', userId)
    .replace(':provider', 'devicemaker')
    .replace(':date', '2025-03-10')
    .replace(':event_id', eventId);
  return `/api/v1${path}`;
}
