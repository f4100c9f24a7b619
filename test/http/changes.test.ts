import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { z } from 'zod';
import { endpoints } from '../../services/api-gateway/rules/endpoints.ts';
import { callWaiting } from '../../services/api-gateway/work/exchange.ts';
import { createUser, startApi } from '../support/api.ts';
import { until } from '../support/until.ts';

const api = await startApi(t, { CHANGE_JOIN_SECONDS: '0', RATE_LIMIT_API_KEY: '100000' });
const Page = z.object({
  data: z.array(z.object({ id: z.string(), type: z.string(), data: z.looseObject({}) })),
  pagination: z.object({ next_cursor: z.string(), has_more: z.boolean() }),
});
const read = async (query: string) => Page.parse(await api.expect(200, `/changes?${query}`));
const cursorNow = async () => (await read('limit=1000')).pagination.next_cursor;
const settled = () =>
  until(
    async () =>
      (await api.database.query('select from changes.pending where due_at is not null')).length === 0,
  );

const user = await createUser(api, { external_user_id: 'ext-1' });
await settled();

t.test('parameters out of their range are refused', async (t) => {
  for (const query of [
    'limit=0',
    'limit=1001',
    'wait_seconds=31',
    'wait_seconds=-1',
    'wait_seconds=1.5',
    'types=workout.invented',
    'user_id=42',
    'cursor=broken',
    'wait_second=3',
  ])
    t.equal((await api.ask(`/api/v1/changes?${query}`, { key: api.apiKey })).status, 422, query);
  t.equal((await read('types=user.created,user.updated&limit=1000')).data.length, 1);
  t.equal((await read('types=user.updated&types=user.deleted')).data.length, 0);
});

t.test(
  'a request that waits is answered when a change is published, also after the first part',
  async (t) => {
    const cursor = await cursorNow();
    const waiting = read(`cursor=${cursor}&wait_seconds=30`);
    await sleep(2500);
    await api.expect(200, `/users/${user}`, { method: 'PATCH', body: { first_name: 'Ada' } });
    const { data } = await waiting;
    t.match(data, [{ type: 'user.updated', data: { user_id: user } }]);
  },
);

t.test('a client that goes away ends its request', async (t) => {
  const cursor = await cursorNow();
  const { broker } = api;
  const call = broker.call.bind(broker);
  let parts = 0;
  const counted = (name: string, ...rest: [params?: unknown, options?: object]) => {
    if (name === 'webhooks.changes') parts += 1;
    return call(name, ...rest);
  };
  Object.assign(broker, { call: counted });
  t.teardown(() => Object.assign(broker, { call }));
  const { port } = new URL(api.url);
  const socket = connect(Number(port), '127.0.0.1');
  const path = `/api/v1/changes?cursor=${cursor}&wait_seconds=30`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${api.apiKey}\r\n\r\n`);
  await until(() => parts > 0);
  socket.destroy();
  await sleep(5000); // 15 parts take 30 s
  const begun = parts;
  await sleep(3000);
  t.equal(parts, begun, 'no part begins any more');
});

t.test('a waiting call has parts, and ends when nobody waits for its answer', async (t) => {
  const endpoint = endpoints.find(({ action }) => action === 'webhooks.changes');
  if (endpoint === undefined) throw new Error('there is no feed');
  const empty = { data: [], pagination: {} };
  const run = async (seconds: unknown, { closeAfter = 99, stopAfter = 99, dataAfter = 99 } = {}) => {
    const waited: unknown[] = [];
    const res = { closed: false };
    const call = async ({ wait_seconds }: Record<string, unknown>) => {
      waited.push(wait_seconds);
      if (waited.length >= closeAfter) res.closed = true;
      return waited.length >= dataAfter ? { data: [1] } : empty;
    };
    const pipeline = { isStopping: () => waited.length >= stopAfter };
    await callWaiting(pipeline, { endpoint, res: res as never }, { wait_seconds: seconds }, call);
    return waited;
  };
  t.strictSame(await run(undefined), [undefined]);
  t.strictSame(await run('2'), ['2']);
  t.strictSame(await run('5'), [2, 2, 1]);
  t.strictSame(await run('30', { closeAfter: 3 }), [2, 2, 2]);
  t.strictSame(await run('30', { stopAfter: 1 }), [2]);
  t.strictSame(await run('30', { dataAfter: 2 }), [2, 2]);
  t.strictSame(await run('31'), ['31'], 'what the action refuses is passed on');
});

t.test('an endpoint is managed over HTTP, and its secret is shown once', async (t) => {
  const body = { url: 'https://app.example/hook', event_types: ['user.created'] };
  const made = await api.expect(201, '/webhook-endpoints', { body });
  const { id, secret } = z.object({ id: z.string(), secret: z.string() }).parse(made);
  const path = `/webhook-endpoints/${id}`;
  for (const answer of [
    await api.expect(200, path),
    await api.expect(200, '/webhook-endpoints'),
    await api.expect(200, path, { method: 'PATCH', body: { enabled: false } }),
    await api.expect(200, path, { method: 'DELETE' }),
  ])
    t.notMatch(JSON.stringify(answer), /whsec_|"secret"/);
  t.match(secret, /^whsec_/);
  await api.expect(404, path);
  await api.expect(422, '/webhook-endpoints', { body: { url: 'http://app.example/' } });
  await api.expect(422, '/webhook-endpoints', { body: { ...body, urls: [] } });
});

t.test('a stop of the gateway ends the requests that wait', async (t) => {
  const cursor = await cursorNow();
  const waiting = [1, 2, 3].map(() => read(`cursor=${cursor}&wait_seconds=30`));
  await sleep(300);
  await api.broker.stop();
  for (const { data } of await Promise.all(waiting)) t.strictSame(data, []);
});
