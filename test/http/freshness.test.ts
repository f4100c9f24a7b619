import t from 'tap';
import { z } from 'zod';
import { dayMs, hourMs, localDate } from '../../domain/time/time.ts';
import { freshnessService } from '../../services/freshness/freshness.service.ts';
import { block, item, night, sleep } from '../services/timeseries/items.ts';
import { type Ask, createUser, createWearer, joinApi } from '../support/api.ts';
import { memberToken } from '../support/members.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';
import { as, makeProject } from './projects/two-projects.ts';

let aheadMs = 0;
const fast = {
  followMs: 50,
  incidentsMs: 50,
  listMs: 50,
  firstMs: 0,
  pollMs: 20,
  now: () => Date.now() + aheadMs,
};
const api = await joinApi(t, {
  database: await freshDatabase(t),
  settings: { CHANGE_JOIN_SECONDS: '0', CHANGE_JOIN_HISTORICAL_SECONDS: '0', RATE_LIMIT_API_KEY: '100000' },
  instead: [freshnessService(fast)],
});
await makeProject(api, 'other');

const Kind = z.looseObject({ data_type: z.string(), state: z.string() });
const Connection = z.looseObject({
  state: z.string(),
  action: z.string().nullable(),
  data_types: z.array(Kind),
});
const OfUser = z.object({ data: z.array(Connection) });
const Listed = z.object({
  data: z.array(z.looseObject({ user_id: z.string(), data_type: z.string() })),
  pagination: z.object({ next_cursor: z.string().nullable(), has_more: z.boolean() }),
});

const ofUser = async (id: string) => OfUser.parse(await api.expect(200, `/users/${id}/freshness`)).data;
const list = async (query: string, ask: Ask = { key: api.apiKey }) =>
  Listed.parse(await as(api, ask, 200, `/freshness?${query}`));

const noon = Math.floor(Date.now() / dayMs) * dayMs - 12 * hourMs;
const { userId } = await createWearer(api);

function steps(user_id: string, ...days: number[]) {
  const samples = days.map((day) => [noon - day * dayMs, 100] as const);
  return api.call('timeseries.store', {
    ...{ user_id, provider: 'devicemaker' },
    items: [item({ samples: [block('steps', samples)] })],
  });
}

t.test('data that is stored is fresh, and what never came is silent', async (t) => {
  await steps(userId, 0, 1, 2, 3, 4, 5);
  await until(
    async () => (await ofUser(userId))[0]?.data_types.some(({ state }) => state === 'fresh') ?? false,
  );
  const [connection] = await ofUser(userId);
  t.match(connection, {
    provider: 'devicemaker',
    state: 'silent',
    stale_since: null,
    incident: false,
    gaps: [],
  });
  t.same(
    connection?.data_types.map(({ data_type, state }) => `${data_type} ${state}`),
    ['daily_activity fresh', 'heart_rate silent', 'sleep silent', 'stress silent'],
  );
});

t.test('days without nights between nights are a gap', async (t) => {
  const store = (day: number) =>
    api.call('timeseries.store', {
      ...{ user_id: userId, provider: 'devicemaker' },
      items: [night([sleep(noon - day * dayMs - 8 * hourMs, 400, { zone_offset_minutes: 0 })])],
    });
  await store(5);
  await store(1);
  const gaps = async () => (await ofUser(userId))[0]?.gaps;
  t.same(await gaps(), [
    {
      data_type: 'sleep',
      first_date: localDate(noon - 4 * dayMs, 0),
      last_date: localDate(noon - 2 * dayMs, 0),
    },
  ]);
});

t.test('lists are of a state and of a project, page by page', async (t) => {
  const wearers = await Promise.all([1, 2, 3].map(() => createWearer(api)));
  for (const one of wearers) await steps(one.userId, 0);
  const ids = [userId, ...wearers.map((one) => one.userId)].toSorted();
  await until(async () => (await list('state=fresh&provider=devicemaker')).data.length === 5);
  const found: string[] = [];
  let cursor = '';
  do {
    const page = await list(`state=fresh&limit=2${cursor}`);
    found.push(
      ...page.data.filter(({ data_type }) => data_type === 'daily_activity').map((one) => one.user_id),
    );
    cursor = page.pagination.next_cursor === null ? '' : `&cursor=${page.pagination.next_cursor}`;
  } while (cursor !== '');
  t.same(found.toSorted(), ids);
  const { pagination } = await list('state=fresh&limit=2');
  const other = { token: await memberToken(api, 'admin', 'other'), headers: { 'x-project': 'other' } };
  t.same((await list('state=fresh', other)).data, [], 'another project has none');
  for (const [query, ask] of [
    [`state=fresh&cursor=${pagination.next_cursor}`, other],
    [`state=late&cursor=${pagination.next_cursor}`, { key: api.apiKey }],
    ['state=unknown', { key: api.apiKey }],
    ['limit=501', { key: api.apiKey }],
    ['cursor=x', { key: api.apiKey }],
  ] as const)
    await as(api, ask, 422, `/freshness?${query}`);
  t.same((await list('')).data, [], 'without a state: what is stale');
});

t.test('a connection that the provider refused asks the user to connect again', async (t) => {
  const { userId: user_id } = await createWearer(api);
  await steps(user_id, 0);
  await until(async () => (await ofUser(user_id)).length > 0);
  const held = await api.call('users.tokens', { user_id, provider: 'devicemaker' });
  await api.database.query("update users.connection set status = 'expired' where id = $1", [
    held.connection_id,
  ]);
  await until(async () => (await ofUser(user_id))[0]?.action === 'reconnect');
  await until(async () => (await list('')).data.some((row) => row.user_id === user_id));
  await until(async () => (await ofUser(user_id))[0]?.stale_since !== null);
  await api.database.query("update users.connection set status = 'active' where id = $1", [
    held.connection_id,
  ]);
  await until(async () => (await ofUser(user_id))[0]?.action === null);
  const { data } = await api.call('webhooks.changes', {
    user_id,
    types: ['connection.stale', 'connection.expired'],
  });
  t.match(data, [
    { type: 'connection.expired' },
    { type: 'connection.stale', data: { reason: 'access_ended' } },
  ]);
});

t.test('an upload that is missing asks the user to open the app', async (t) => {
  const user_id = await createUser(api);
  const body = { provider: 'phone', provider_user_id: user_id };
  await api.expect(201, `/users/${user_id}/connections`, { body });
  await api.call('timeseries.store', {
    ...{ user_id, provider: 'phone' },
    items: [item({ data_type: 'records', samples: [block('steps', [[noon, 100]])] })],
  });
  await until(async () => (await ofUser(user_id))[0]?.state === 'fresh');
  aheadMs = 5 * dayMs;
  await until(async () => (await ofUser(user_id))[0]?.action === 'open_app');
  t.match((await ofUser(user_id))[0]?.data_types, [
    { data_type: 'daily_activity', state: 'stale', repairs: 0 },
  ]);
  aheadMs = 0;
});

t.test('the deletion of a user leaves nothing', async (t) => {
  await api.expect(200, `/users/${userId}`, { method: 'DELETE' });
  const left = 'select from freshness.connection where user_id = $1';
  await until(async () => (await api.database.query(left, [userId])).length === 0);
  t.same(await api.database.query('select from freshness.arrival where user_id = $1', [userId]), []);
  t.ok((await api.database.query('select from freshness.connection')).length >= 4, 'others keep theirs');
  await api.expect(404, `/users/${userId}/freshness`);
});
