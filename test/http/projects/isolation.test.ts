import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { startApi } from '../../support/api.ts';
import { rows } from '../routes/rows.ts';
import { as, type Filled, fillProject, makeProject, pushWorkout, send, withWorkout } from './two-projects.ts';

const api = await startApi(t, {
  ...{ RATE_LIMIT_API_KEY: '100000', RATE_LIMIT_SDK: '100000', RATE_LIMIT_DEVELOPER: '100000' },
  ...{ CHANGE_JOIN_SECONDS: '0', CHANGE_JOIN_HISTORICAL_SECONDS: '0' },
});
await makeProject(api, 'other');
let ours = await fillProject(api, 'default');
let theirs = await fillProject(api, 'other');
await pushWorkout(api);
[ours, theirs] = [await withWorkout(api, ours), await withWorkout(api, theirs)];

const filledIn = (path: string) => path.replaceAll(/:([a-z_]+)/g, () => randomUUID());

const Listed = z.object({ items: z.array(z.object({ id: z.string() })), total: z.int() });

t.test('lists, searches and counts are those of the project', async (t) => {
  for (const one of [ours, theirs])
    for (const query of [
      '',
      '?search=ada',
      '?email=ada@example.com',
      '?external_user_id=the same in both',
      '?connected=true',
      '?connection_status=active',
      '?provider=devicemaker&search=ada',
    ]) {
      const page = Listed.parse(await as(api, { key: one.key }, 200, `/users${encodeURI(query)}`));
      t.strictSame(
        [page.total, page.items.map(({ id }) => id)],
        [1, [one.userId]],
        `${one.project} ${query}`,
      );
    }
  const ids = async (of: Filled, path: string) =>
    z
      .array(z.object({ id: z.string() }))
      .parse(await as(api, { token: of.adminToken }, 200, path))
      .map(({ id }) => id);
  for (const path of ['/api-keys', '/applications', '/webhook-endpoints']) {
    const [mine, other] = [await ids(ours, path), await ids(theirs, path)];
    t.ok(other.length === 1 && mine.length >= 1 && mine.every((id) => !other.includes(id)), path);
  }
  t.match(await as(api, { key: ours.key }, 200, '/overview'), { users: 1 });
  const { connections } = z
    .object({ connections: z.array(z.object({ provider: z.string(), count: z.int() })) })
    .parse(await as(api, { key: ours.key }, 200, '/overview'));
  t.strictSame(
    connections.filter(({ provider }) => provider === 'devicemaker').map(({ count }) => count),
    [1],
  );
});

const Feed = z.object({
  data: z.array(z.object({ type: z.string(), data: z.looseObject({ user_id: z.string().optional() }) })),
  pagination: z.object({ next_cursor: z.string() }),
});

t.test('the feed and its cursors are those of the project', async (t) => {
  const read = async (of: Filled, query = '') =>
    Feed.parse(await as(api, { key: of.key }, 200, `/changes?limit=1000&wait_seconds=2${query}`));
  const until = async (of: Filled) => {
    for (;;) {
      const page = await read(of);
      if (page.data.some(({ type }) => type === 'workout.created')) return page;
    }
  };
  const [mine, other] = [await until(ours), await until(theirs)];
  const usersOf = ({ data }: z.infer<typeof Feed>) => [
    ...new Set(data.flatMap((one) => one.data.user_id ?? [])),
  ];
  t.strictSame(usersOf(mine), [ours.userId]);
  t.strictSame(usersOf(other), [theirs.userId]);
  for (const query of [`&user_id=${theirs.userId}`, `&user_id=${theirs.userId}&types=workout.created`])
    t.strictSame((await read(ours, query.replace('wait_seconds=2', ''))).data, [], query);
  t.strictSame(usersOf(await read(ours, '&types=workout.created,user.created')), [ours.userId]);
  const cursor = encodeURIComponent(other.pagination.next_cursor);
  t.equal((await send(api, { key: ours.key }, `/changes?cursor=${cursor}&limit=1000`)).status, 422);
});

t.test('messages go to the endpoints of the project', async (t) => {
  const listed = z.object({ data: z.array(z.object({ user_id: z.string().nullable() })) });
  const users = async (of: Filled, filter = '') => {
    const path = `/webhook-endpoints/${of.endpointId}/messages?limit=100${filter}`;
    const { data } = listed.parse(await as(api, { token: of.adminToken }, 200, path));
    return [...new Set(data.map(({ user_id }) => user_id))];
  };
  t.strictSame(await users(ours), [ours.userId]);
  t.strictSame(await users(theirs), [theirs.userId]);
  t.strictSame(await users(ours, `&user_id=${ours.userId}`), [ours.userId]);
  t.strictSame(await users(ours, `&user_id=${theirs.userId}`), []);
  const foreign = `/webhook-endpoints/${theirs.endpointId}/messages?user_id=${ours.userId}`;
  await as(api, { token: ours.adminToken }, 404, foreign);
});

t.test('the audit trail is that of the project', async (t) => {
  const read = async (token: string, query = '') => {
    const page = z.object({
      data: z.array(
        z.object({ user_id: z.string().nullable(), action: z.string(), subject_id: z.string().nullable() }),
      ),
      pagination: z.object({ next_cursor: z.string().nullable() }),
    });
    return page.parse(await as(api, { token }, 200, `/audit?limit=100${query}`));
  };
  const [mine, other] = [await read(ours.adminToken), await read(theirs.adminToken)];
  t.ok(other.data.some(({ action }) => action === 'webhook_endpoint.created'));
  t.ok(other.data.some(({ action }) => action === 'user.created'));
  t.ok(other.data.some(({ action }) => action === 'api_key.created'));
  t.ok(other.data.some(({ action }) => action === 'application.created'));
  const namesOf = ({ data }: typeof mine) => data.flatMap(({ user_id, subject_id }) => [user_id, subject_id]);
  for (const id of [theirs.userId, theirs.keyId, theirs.endpointId]) t.notOk(namesOf(mine).includes(id), id);
  for (const id of [ours.userId, ours.keyId, ours.endpointId]) t.notOk(namesOf(other).includes(id), id);
  t.strictSame((await read(ours.adminToken, `&user_id=${theirs.userId}`)).data, []);
  const short = z.object({ pagination: z.object({ next_cursor: z.string() }) });
  const { pagination } = short.parse(await as(api, { token: theirs.adminToken }, 200, '/audit?limit=1'));
  const cursor = encodeURIComponent(pagination.next_cursor);
  t.equal((await send(api, { token: ours.adminToken }, `/audit?limit=1&cursor=${cursor}`)).status, 422);
});

t.test('deliveries and jobs are shown to the project `default` only', async (t) => {
  const routes = rows.filter(([, path]) => /^\/(deliveries|jobs|status|overview|reprocess-runs)/.test(path));
  t.ok(routes.length >= 12);
  for (const [method, path] of routes)
    for (const ask of [{ key: theirs.key }, { token: theirs.adminToken }])
      t.equal((await send(api, ask, filledIn(path), { method })).status, 403, `${method} ${path}`);
});

t.test(
  'bodies of deliveries are read by an owner only, because they hold data of all projects',
  async (t) => {
    const [row] = await api.database.query<{ id: string }>('select id from deliveries.delivery limit 1');
    const path = `/deliveries/${row?.id}/body`;
    const [admin, key] = [{ token: ours.adminToken }, { key: ours.key }];
    for (const ask of [admin, key])
      t.match(await as(api, ask, 403, path), { detail: /data of all projects/ });
    t.match(await as(api, { token: api.developerToken }, 200, path), { content: /shared-account/ });
  },
);

t.test('an Idempotency-Key of a developer belongs to one project', async (t) => {
  const create = (project: string) =>
    send(api, { token: api.developerToken }, '/users', {
      body: { first_name: 'Once' },
      headers: { 'Idempotency-Key': 'the same', 'X-Project': project },
    });
  const [here, there] = [await create('default'), await create('other')];
  t.strictSame([here.status, there.status], [201, 201]);
  t.not(Reflect.get(Object(here.body), 'id'), Reflect.get(Object(there.body), 'id'));
  t.equal((await create('other')).headers.get('idempotent-replayed'), 'true');
  const total = async (of: Filled) =>
    Listed.parse(await as(api, { key: of.key }, 200, '/users?search=Once')).total;
  t.strictSame([await total(ours), await total(theirs)], [1, 1]);
});

t.test('the connect page asks on behalf of the product', async (t) => {
  const owner = { token: api.developerToken };
  const named = { connect_name: 'Coaching <b>app</b>' };
  t.match(await as(api, owner, 200, '/projects/other', { method: 'PATCH', body: named }), named);
  const pageOf = async (of: Filled) => {
    const link = await as(api, { key: of.key }, 201, '/connect/sessions', {
      body: { user_id: of.userId, providers: ['phone'] },
    });
    const url = new URL(z.object({ url: z.string() }).parse(link).url);
    const opened = await api.ask(url.pathname);
    const cookie = (opened.headers.getSetCookie?.() ?? []).map((one) => one.split(';')[0]).join('; ');
    return (await api.ask(opened.headers.get('location') ?? '', { headers: { Cookie: cookie } })).text;
  };
  t.match(await pageOf(theirs), 'Coaching &lt;b&gt;app&lt;/b&gt;');
  const page = await pageOf(ours);
  t.match(page, 'Pulsebus');
  t.notMatch(page, 'Coaching');
});

t.test('tokens are issued for users of the project only', async (t) => {
  const issue = (of: Filled, userId: string) =>
    send(api, {}, `/users/${userId}/token`, { body: { app_id: of.appId, app_secret: of.appSecret } });
  t.strictSame(
    [(await issue(ours, theirs.userId)).status, (await issue(theirs, theirs.userId)).status],
    [404, 200],
  );
  const session = { user_id: theirs.userId };
  t.equal((await send(api, { key: ours.key }, '/connect/sessions', { body: session })).status, 404);
});
