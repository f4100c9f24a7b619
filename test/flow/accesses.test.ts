import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import type { Queryable } from '../../mixins/database/database.ts';
import { gatewayUrl } from '../../services/api-gateway/api-gateway.service.ts';
import { forgetAccesses, noteAccesses } from '../../services/auth/actions/audit.ts';
import { loadServices } from '../../stack/processes/services.ts';
import { ask, createUser, createWearer, joinApi, startApi, type TestApi, userToken } from '../support/api.ts';
import { connectClient, toolAnswer } from '../support/mcp.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

const limits = { RATE_LIMIT_API_KEY: '100000', RATE_LIMIT_DEVELOPER: '100000', RATE_LIMIT_SDK: '100000' };
const Page = z.object({
  data: z.array(z.object({ hour: z.string(), actor: z.string(), data_kind: z.string(), count: z.number() })),
  pagination: z.object({
    next_cursor: z.string().nullable(),
    previous_cursor: z.string().nullable(),
    total_count: z.number(),
  }),
});
const days = 'start_date=2026-03-01&end_date=2026-03-02';
const range = 'start_time=2026-03-01&end_time=2026-03-02';

const api = await startApi(t, limits);

async function accessesOf(on: TestApi, userId: string, query = '') {
  const answer = await on.ask(`/api/v1/users/${userId}/accesses?${query}`, { token: on.developerToken });
  return Page.parse(answer.body);
}

async function countOf(database: Queryable, userId: string): Promise<number> {
  const sql = 'select coalesce(sum(count), 0)::float8 as n from auth.access where user_id = $1';
  const [row] = await database.query<{ n: number }>(sql, [userId]);
  return row?.n ?? 0;
}

t.test('1,000 reads in parallel over two gateways are counted exactly', async (t) => {
  const database = await freshDatabase(t);
  const bus = { natsUrl: natsUrl(), namespace: `accesses-${randomUUID()}` };
  const first = await joinApi(t, { database, settings: limits, ...bus });
  const services = await loadServices(['api-gateway']);
  const second = await startBroker(t, { databaseUrl: database.url, services, settings: limits, ...bus });
  await second.broker.waitForServices(['auth', 'users', 'timeseries', 'summaries'], 60_000);
  const gateways = [first.url, gatewayUrl(second.broker)];
  const users = [await createUser(first), await createUser(first)];
  const parts = Array.from({ length: 20 }, async (_, part) => {
    for (let n = 0; n < 50; n += 1) {
      const path = `/api/v1/users/${users[n % 2]}/summaries/body`;
      const answer = await ask(gateways[(n + part) % 3 === 0 ? 0 : 1] ?? '', path, { key: first.apiKey });
      if (answer.status !== 200) throw new Error(answer.text);
    }
  });
  await Promise.all(parts);
  await until(async () => (await countOf(database, users[0] ?? '')) >= 500);
  await until(async () => (await countOf(database, users[1] ?? '')) >= 500);
  for (const user of users) {
    const { data } = await accessesOf(first, user);
    t.equal(
      data.reduce((sum, { count }) => sum + count, 0),
      500,
    );
    t.ok(data.every(({ data_kind, actor }) => data_kind === 'body' && actor.startsWith('api_key:')));
  }
  const writers = await database.query('select from auth.access_writer');
  t.equal(writers.length, 2, 'both gateways have written');
  t.match(
    await database.query(
      'select sum(count)::int as n, count(distinct actor)::int as actors from auth.access_total',
    ),
    [{ n: 1000, actors: 1 }],
  );
});

/** A read of each kind of data. */
const reads: readonly (readonly [path: string, kind: string])[] = [
  [`/timeseries?${range}`, 'timeseries'],
  [`/timeseries/download?${range}`, 'timeseries'],
  [`/timeseries/chart?${range}&types=steps`, 'timeseries'],
  [`/events/workouts?${days}`, 'workouts'],
  [`/events/sleep?${days}`, 'sleep'],
  [`/summaries/sleep?${days}`, 'sleep'],
  [`/events/other?${days}`, 'events'],
  [`/days?${days}`, 'days'],
  ['/days/2026-03-01', 'days'],
  [`/scores?${days}`, 'scores'],
  [`/summaries/activity?${days}`, 'activity'],
  ['/summaries/body', 'body'],
  [`/summaries/recovery?${days}`, 'recovery'],
  [`/baselines?${days}`, 'insights'],
  [`/training?${days}`, 'insights'],
  [`/data-calendar?${days}`, 'calendar'],
  ['/source-priority', 'settings'],
  ['/route-privacy', 'settings'],
  ['/export', 'export'],
];

t.test('each read that is answered counts once under its kind and actor, and no other request', async (t) => {
  const user = await createUser(api);
  const token = await userToken(api, user);
  const path = (rest: string) => `/api/v1/users/${user}${rest}`;
  for (const [rest] of reads) {
    t.equal((await api.ask(path(rest), { token })).status, 200, rest);
  }
  const failing = ['/days/never', '/timeseries', `/events/sleep/${randomUUID()}`];
  for (const rest of failing) t.ok((await api.ask(path(rest), { token })).status >= 400, rest);
  for (const rest of ['', '/connections', '/accesses'])
    t.equal((await api.ask(path(rest), { token })).status, 200, rest);
  await until(async () => (await countOf(api.database, user)) >= reads.length);
  const wanted = new Map<string, number>();
  for (const [, kind] of reads) wanted.set(kind, (wanted.get(kind) ?? 0) + 1);
  const { data } = await accessesOf(api, user);
  t.same(
    Object.fromEntries(data.map(({ data_kind, count }) => [data_kind, count])),
    Object.fromEntries(wanted),
  );
  t.ok(data.every(({ actor }) => actor === `user:${user}`));
});

t.test('a tool of the MCP server counts as the route that it stands for', async (t) => {
  const { userId: user_id } = await createWearer(api);
  const client = await connectClient(t, api.url, api.apiKey, 'auto');
  const call = async (name: string, given: Record<string, unknown>) =>
    toolAnswer(await client.callTool({ name, arguments: { user_id, ...given } }));
  const dates = { start_date: '2026-03-01', end_date: '2026-03-02' };
  t.notOk((await call('sleep_summaries', dates)).isError);
  t.notOk((await call('list_sleep_sessions', dates)).isError);
  t.notOk((await call('list_connections', {})).isError);
  t.ok((await call('sleep_summaries', { start_date: 'never', end_date: '2026-03-02' })).isError);
  await until(async () => (await countOf(api.database, user_id)) >= 2);
  t.match((await accessesOf(api, user_id)).data, [{ data_kind: 'sleep', count: 2, actor: /^api_key:/ }]);
});

const countedAt = (user_id: string, hour_ms: number, given: object = {}) => ({
  ...{ project_id: 'default', user_id, actor: 'api_key:one', kind: 'sleep' as const, hour_ms, count: 1 },
  ...given,
});
const batch = (reads: ReturnType<typeof countedAt>[], sequence = 1, process_id = randomUUID()) => ({
  ...{ process_id, sequence, reads },
});

t.test('a repeated batch adds nothing, and one of another process adds', async (t) => {
  const user = await createUser(api);
  const first = batch([countedAt(user, 0, { count: 3 })]);
  t.same(await noteAccesses(api.database, first), true);
  t.same(await noteAccesses(api.database, first), false);
  t.same(await noteAccesses(api.database, { ...first, sequence: 2 }), true);
  t.same(await noteAccesses(api.database, { ...first, sequence: 1 }), false, 'an older one');
  t.same(await noteAccesses(api.database, { ...first, process_id: randomUUID() }), true);
  t.equal(await countOf(api.database, user), 9);
});

t.test('pages are newest first, in both directions, of the hours of the range', async (t) => {
  const user = await createUser(api);
  const hour = (n: number) => Date.UTC(2026, 2, 1, n);
  const kinds = ['sleep', 'days'] as const;
  const rows = [1, 2, 3].flatMap((n) => kinds.map((kind) => countedAt(user, hour(n), { kind, count: n })));
  await noteAccesses(api.database, batch([...rows, countedAt(await createUser(api), hour(2))]));
  const shown = (page: z.infer<typeof Page>) =>
    page.data.map(({ hour: at, data_kind }) => `${at.slice(11, 13)} ${data_kind}`);
  const wanted = ['03 sleep', '03 days', '02 sleep', '02 days', '01 sleep', '01 days'];
  t.same(shown(await accessesOf(api, user)), wanted);
  const first = await accessesOf(api, user, 'limit=4');
  t.same(shown(first), wanted.slice(0, 4));
  const second = await accessesOf(api, user, `limit=4&cursor=${first.pagination.next_cursor}`);
  t.same(shown(second), wanted.slice(4));
  t.equal(second.pagination.next_cursor, null);
  const back = await accessesOf(api, user, `limit=4&cursor=${second.pagination.previous_cursor}`);
  t.same(shown(back), wanted.slice(0, 4));
  t.equal(first.pagination.total_count, 6);
  const between = 'start_time=2026-03-01T02:59:00Z&end_time=2026-03-01T03:00:00Z';
  t.same(shown(await accessesOf(api, user, between)), ['02 sleep', '02 days']);
  const wrong = await api.ask(`/api/v1/users/${user}/accesses?cursor=x`, { token: api.developerToken });
  t.equal(wrong.status, 422);
});

t.test('an export contains who read data of the user, from the hour of its time on', async (t) => {
  const user = await createUser(api);
  const old = countedAt(user, Date.UTC(2026, 2, 1, 10), { count: 2 });
  await noteAccesses(api.database, batch([old, countedAt(user, Date.UTC(2026, 2, 2, 10))]));
  const of = async (query: string) => {
    const { text } = await api.ask(`/api/v1/users/${user}/export?kinds=access&${query}`, { key: api.apiKey });
    return text
      .trimEnd()
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
  };
  const [later, line] = await of('');
  t.strictSame(line, {
    ...{ kind: 'access', hour: '2026-03-01T10:00:00Z', actor: 'api_key:one', data_kind: 'sleep', count: 2 },
  });
  t.same(await of('since=2026-03-02T10:30:00Z'), [later]);
});

t.test('an erased user leaves no row, also of reads that a gateway still holds; totals stay', async (t) => {
  const user = await createUser(api);
  const actor = `user:${user}`;
  const reads = [
    countedAt(user, Date.UTC(2026, 5, 1, 10), { actor }),
    countedAt(user, Date.UTC(2026, 5, 1, 11), { actor }),
  ];
  await noteAccesses(api.database, batch(reads));
  t.equal(await countOf(api.database, user), 2);
  await api.expect(200, `/users/${user}`, { method: 'DELETE' });
  await until(async () => (await countOf(api.database, user)) === 0);
  await noteAccesses(api.database, batch(reads));
  t.equal(await countOf(api.database, user), 0, 'a late batch');
  t.match(
    await api.database.query(
      "select actor, kind, count::int as count from auth.access_total where day = '2026-06-01'",
    ),
    [{ actor: 'user', kind: 'sleep', count: 4 }],
  );
});

t.test('who forgets a user waits for a batch that is being written', async (t) => {
  const user = await createUser(api);
  const order: string[] = [];
  let forgetting: Promise<unknown> | undefined;
  await api.database.transaction(async (transaction) => {
    const inTransaction = {
      ...api.database,
      transaction: (work: (on: Queryable) => Promise<boolean>) => work(transaction),
    };
    await noteAccesses(Object(inTransaction), batch([countedAt(user, 0)]));
    forgetting = forgetAccesses(api.database, user).then(() => order.push('forgotten'));
    await until(async () => {
      // A batch of the gateway may wait too.
      const waiting = `
        select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
        where l.locktype = 'advisory' and not l.granted and l.objid = 7360`;
      return (await api.database.query(waiting)).length >= 1;
    });
    order.push('written');
  });
  await forgetting;
  t.same(order, ['written', 'forgotten']);
  t.equal(await countOf(api.database, user), 0);
});

t.test('another project sees no such user, and roles other than admin may not ask', async (t) => {
  const byOwner = { token: api.developerToken };
  const account = { email: `${randomUUID()}@example.com`, password: 'correct horse battery staple' };
  await api.ask('/api/v1/developers', { ...byOwner, body: account });
  await api.database.query('update auth.developer set is_owner = false where email = $1', [account.email]);
  const other = { id: 'accesses-of-others', name: 'Other' };
  t.equal((await api.ask('/api/v1/projects', { ...byOwner, body: other })).status, 201);
  const login = await api.ask('/api/v1/auth/login', { body: account });
  const { access_token: token } = z.object({ access_token: z.string() }).parse(login.body);
  const become = async (project: string, role: string) => {
    const given = { ...byOwner, headers: { 'X-Project': project }, body: { email: account.email, role } };
    const answer = await api.ask('/api/v1/members', given);
    t.ok(answer.status < 300, answer.text);
  };
  const user = await createUser(api);
  const statusIn = async (project: string) =>
    (await api.ask(`/api/v1/users/${user}/accesses`, { token, headers: { 'X-Project': project } })).status;
  await become(other.id, 'admin');
  t.equal(await statusIn(other.id), 404);
  await become('default', 'developer');
  t.equal(await statusIn('default'), 403);
  await become('default', 'admin');
  t.equal(await statusIn('default'), 200);
  t.equal((await api.ask(`/api/v1/users/${user}/accesses`, { key: api.apiKey })).status, 403);
  t.equal(
    (await api.ask(`/api/v1/users/${user}/accesses`, { token: await userToken(api, user) })).status,
    200,
  );
  const unknown = await api.ask(`/api/v1/users/${randomUUID()}/accesses`, byOwner);
  t.equal(unknown.status, 404);
});
