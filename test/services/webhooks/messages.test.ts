import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { WebhookMessage } from '../../../contracts/webhooks/schemas.ts';
import { createUser, startApi } from '../../support/api.ts';
import { type Answering, startCallbackServer } from '../../support/callback-server.ts';
import { until } from '../../support/until.ts';

const Page = z.object({
  data: z.array(WebhookMessage),
  pagination: z.object({ next_cursor: z.string().nullable(), has_more: z.boolean() }),
});
const Id = z.object({ id: z.string() });
const ok: Answering = (_req, res) => void res.end('ok');
const failing: Answering = (_req, res) => void res.writeHead(500).end('no');

/** The product with a receiver whose requests are listed by webhook-id and type. */
async function startReceiving(t: Test) {
  const server = await startCallbackServer(t);
  const api = await startApi(t, { WEBHOOK_ENDPOINT_ORIGINS: server.origin });
  const received: { id: string; body: { type: string; data: Record<string, unknown> } }[] = [];
  let answering = ok;
  server.answer(async (req, res) => {
    received.push({ id: String(req.headers['webhook-id']), body: JSON.parse(await text(req)) });
    answering(req, res);
  });
  const path = async (fields: Record<string, unknown> = {}) => {
    const body = { url: `${server.origin}/hook`, ...fields };
    return `/webhook-endpoints/${Id.parse(await api.expect(201, '/webhook-endpoints', { body })).id}`;
  };
  const list = async (endpoint: string, query = '') =>
    Page.parse(await api.expect(200, `${endpoint}/messages${query}`));
  return {
    ...{ api, received, path, list },
    answer: (given: Answering) => {
      answering = given;
    },
    /** Waits until messages of an endpoint have states. */
    settled: (endpoint: string, states: readonly string[]) =>
      until(async () => {
        const { data } = await list(endpoint);
        return data.map(({ status }) => status).join() === states.join();
      }),
  };
}

t.test('a change arrives at the endpoint and is listed with its attempt', async (t) => {
  const { api, received, path, list, settled } = await startReceiving(t);
  const endpoint = await path();
  const id = await createUser(api, { external_user_id: 'user-1' });
  await settled(endpoint, ['delivered']);
  t.match(received, [
    { body: { type: 'user.created', data: { user_id: id, external_user_id: 'user-1', sequence: 1 } } },
  ]);
  const { data } = await list(endpoint);
  t.match(data, [
    {
      id: received[0]?.id,
      type: 'user.created',
      user_id: id,
      historical: false,
      next_attempt_at: null,
      delivered_at: /^\d{4}/,
    },
  ]);
  // On a busy machine an attempt may time out before.
  t.match(data[0]?.attempts.at(-1), { status: 200, error: null, response: 'ok' });
});

t.test('a test is sent at once, also to a disabled endpoint, and is not repeated', async (t) => {
  const { api, received, path, list, answer } = await startReceiving(t);
  const endpoint = await path({ enabled: false });
  const sent = WebhookMessage.parse(await api.expect(200, `${endpoint}/test`, { method: 'POST' }));
  t.match(sent, { type: 'test.ping', status: 'delivered', attempts: [{ status: 200, response: 'ok' }] });
  t.match(received, [{ id: sent.id, body: { type: 'test.ping', data: { endpoint_id: sent.endpoint_id } } }]);
  answer(failing);
  const failed = WebhookMessage.parse(await api.expect(200, `${endpoint}/test`, { method: 'POST' }));
  t.match(failed, { status: 'failed', attempts: [{ status: 500, error: 'STATUS', response: 'no' }] });
  t.equal((await list(endpoint)).data.length, 2);
  t.match(await api.database.query('select enabled, failing_since from webhooks.endpoint'), [
    { enabled: false, failing_since: null },
  ]);
  await api.expect(404, `/webhook-endpoints/${randomUUID()}/test`, { method: 'POST' });
  const audit = `select count(*)::int as n from auth.audit_entry where action = 'webhook_endpoint.tested'`;
  t.match(await api.database.query(audit), [{ n: 2 }]);
});

t.test('ten tests a minute are sent to an endpoint, also if many are asked for at once', async (t) => {
  const { api, received, path, list } = await startReceiving(t);
  const endpoint = await path({ event_types: ['user.created'] });
  const sent = await Promise.all(
    Array.from({ length: 14 }, () => api.ask(`/api/v1${endpoint}/test`, { method: 'POST', key: api.apiKey })),
  );
  const limited = sent.filter(({ status }) => status === 429);
  t.equal(limited.length, 4);
  t.match(limited[0], { body: { detail: /10 a minute/ } });
  t.equal(received.length, 10);
  t.equal((await list(endpoint)).data.length, 10);
});

t.test('a list shows the newest attempts of a message', async (t) => {
  const { api, path, list } = await startReceiving(t);
  const endpoint = await path({ enabled: false });
  await api.database.query(
    `with made as (
       insert into webhooks.message (endpoint_id, type, state, recorded_at)
       select id, 'user.created', 'failed', now() from webhooks.endpoint returning id)
     insert into webhooks.attempt (message_id, number, duration_ms) select id, n, 1 from made, generate_series(1, 50) n`,
  );
  const [message] = (await list(endpoint)).data;
  t.same(
    message?.attempts.map(({ number }) => number),
    Array.from({ length: 20 }, (_, index) => 31 + index),
  );
});

t.test('pages list each message once, and filter by status', async (t) => {
  const { api, path, list } = await startReceiving(t);
  const endpoint = await path({ enabled: false });
  await api.database.query(
    `insert into webhooks.message (endpoint_id, type, state, recorded_at, created_at)
     select id, 'user.created', (array['waiting', 'delivered', 'failed', 'dropped'])[1 + n % 4], now(),
       now() - (n / 3) * interval '1 second'
     from webhooks.endpoint, generate_series(1, 22) n`,
  );
  const expected = await api.database.query<{ id: string; state: string }>(
    'select id, state from webhooks.message order by created_at desc, id desc',
  );
  for (const status of [undefined, 'waiting', 'delivered', 'failed', 'dropped']) {
    const ids: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const filter: string = status === undefined ? '' : `&status=${status}`;
      const next: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await list(endpoint, `?limit=4${filter}${next}`);
      ids.push(...page.data.map(({ id }) => id));
      t.equal(page.pagination.has_more, page.pagination.next_cursor !== null);
      cursor = page.pagination.next_cursor;
    }
    const of = expected.filter(({ state }) => status === undefined || state === status);
    t.same(
      ids,
      of.map(({ id }) => id),
      status ?? 'all',
    );
  }
  const { pagination } = await list(endpoint, '?limit=4');
  await api.expect(422, `${endpoint}/messages?status=failed&cursor=${pagination.next_cursor}`);
  await api.expect(404, `/webhook-endpoints/${randomUUID()}/messages`);
  await api.database.query('delete from webhooks.message');
  const [ada, ben] = [await createUser(api), await createUser(api)];
  await api.database.query(
    `insert into webhooks.message (endpoint_id, type, user_id, state, recorded_at, created_at)
     select e.id, 'user.updated', (array[$1, $2, null]::uuid[])[1 + n % 3], (array['waiting', 'failed'])[1 + n % 2], now(),
       now() - n * interval '1 second'
     from webhooks.endpoint e, generate_series(0, 11) n`,
    [ada, ben],
  );
  const first = await list(endpoint, `?limit=3&user_id=${ada.toUpperCase()}`);
  const next = `&cursor=${first.pagination.next_cursor}`;
  const second = await list(endpoint, `?limit=3&user_id=${ada}${next}`);
  t.same(
    [...first.data, ...second.data].map(({ user_id, status }) => [user_id, status]),
    [0, 3, 6, 9].map((n) => [ada, n % 2 === 0 ? 'waiting' : 'failed']),
  );
  t.equal(second.pagination.next_cursor, null);
  t.equal((await list(endpoint, `?user_id=${ben}&status=failed`)).data.length, 2);
  t.same((await list(endpoint, `?user_id=${randomUUID()}`)).data, []);
  await api.expect(422, `${endpoint}/messages?limit=3&user_id=${ben}${next}`);
  await api.expect(422, `${endpoint}/messages?user_id=ada`);
});

t.test('a resent message arrives again with the same webhook-id', async (t) => {
  const { api, received, path, settled, list } = await startReceiving(t);
  const [endpoint, other] = [await path({ event_types: ['user.created'] }), await path({ enabled: false })];
  await createUser(api);
  await settled(endpoint, ['delivered']);
  const id = received[0]?.id ?? '';
  const resend = (of: string, message: string) => `${of}/messages/${message}/resend`;
  t.match(await api.expect(202, resend(endpoint, id), { method: 'POST' }), { id, status: 'waiting' });
  await until(() => received.length === 2);
  await settled(endpoint, ['delivered']);
  t.same(
    received.map((one) => one.id),
    [id, id],
  );
  t.match((await list(endpoint)).data[0]?.attempts, [{ number: 1 }, { number: 2 }]);
  await api.expect(404, resend(other, id), { method: 'POST' });
  await api.expect(404, resend(endpoint, randomUUID()), { method: 'POST' });
  await api.database.query(`update webhooks.message set leased = true, run_at = now() + interval '1 hour'`);
  t.match(await api.expect(409, resend(endpoint, id), { method: 'POST' }), {
    detail: /being sent/,
  });
  await api.database.query('update webhooks.message set leased = false');
  await api.database.query('delete from changes.change');
  t.match(await api.expect(409, resend(endpoint, id), { method: 'POST' }), {
    detail: /no longer kept/,
  });
  await api.expect(200, endpoint, { method: 'PATCH', body: { enabled: false } });
  t.match(await api.expect(409, resend(endpoint, id), { method: 'POST' }), {
    detail: /is disabled/,
  });
  t.equal(received.length, 2);
});

t.test('recover sends what failed and what was missed, replay all, each once', async (t) => {
  const { api, received, path, answer } = await startReceiving(t);
  const endpoint = await path({ event_types: ['user.created', 'user.updated'] });
  const users: string[] = [];
  const create = async () => users.push(await createUser(api));
  const states = async () => {
    const rows = await api.database.query<{ state: string; n: number }>(
      'select state, count(*)::int as n from webhooks.message group by state',
    );
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  };
  await create();
  await until(async () => (await states()).delivered === 1);
  answer(failing);
  await create();
  await until(() => received.length === 2);
  await until(
    async () => (await api.database.query('select from webhooks.message where failures = 1')).length === 1,
  );
  await api.database.query(`update webhooks.message set state = 'failed' where failures = 1`);
  await api.expect(200, endpoint, { method: 'PATCH', body: { enabled: false } });
  await create();
  await until(
    async () =>
      (await api.database.query(`select from changes.change where type = 'user.created'`)).length === 3,
  );
  const recover = { body: { since: '2020-01-01' } };
  t.match(await api.expect(409, `${endpoint}/recover`, recover), { detail: /is disabled/ });
  answer(ok);
  received.length = 0;
  await api.expect(200, endpoint, { method: 'PATCH', body: { enabled: true } });
  t.match(await api.expect(202, `${endpoint}/recover`, recover), { queued: 2, complete: true });
  await until(async () => (await states()).waiting === undefined);
  t.same(
    received.map(({ body }) => body.data.user_id).sort(),
    users.slice(1).sort(),
    'the failed one and the missed one',
  );
  t.match(await api.expect(202, `${endpoint}/recover`, recover), { queued: 0, complete: true });
  t.match(await api.expect(202, `${endpoint}/recover`, { body: { since: '2100-01-01' } }), {
    queued: 0,
    complete: true,
  });

  const before = new Set(received.map(({ id }) => id));
  const { queued } = z
    .object({ queued: z.int() })
    .parse(await api.expect(202, `${endpoint}/replay`, recover));
  await until(async () => received.length >= 2 + queued && (await states()).waiting === undefined);
  t.ok(
    [...before].every((id) => received.filter((one) => one.id === id).length === 2),
    'with the same webhook-ids',
  );
  const actions = await api.database.query<{ action: string }>(
    `select distinct action from auth.audit_entry where action ~ 'recovered|replayed' order by 1`,
  );
  t.same(
    actions.map(({ action }) => action),
    ['webhook_endpoint.recovered', 'webhook_endpoint.replayed'],
  );
});

t.test('an endpoint receives nothing of an erased user afterwards but user.deleted', async (t) => {
  const { api, received, path, answer } = await startReceiving(t);
  await path();
  answer(failing);
  const id = await createUser(api, { first_name: 'A' });
  await until(() => received.length === 1);
  await api.database.query(`update webhooks.message set run_at = now() + interval '2 seconds'`);
  await api.expect(200, `/users/${id}`, { method: 'DELETE' });
  await until(async () => {
    const rows = await api.database.query(`select from webhooks.message where type = 'user.created'`);
    return rows.length === 0;
  });
  received.length = 0;
  answer(ok);
  await until(async () => {
    const rows = await api.database.query(`select from webhooks.message where state = 'delivered'`);
    return rows.length === 1;
  });
  t.match(received, [{ body: { type: 'user.deleted', data: { user_id: id, external_user_id: null } } }]);
  t.equal(received.length, 1);
});
