import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { Backfill } from '../../../contracts/backfill.ts';
import { createUser, startApi, userToken } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { playProvider } from './provider.ts';

const provider = await playProvider(t);
const api = await startApi(t, {
  ...provider.settings,
  BACKFILL_TYPES: 'dailies,sleeps',
  BACKFILL_DAYS: '45',
});
const pathOf = (user: string, of = 'devicemaker') => `/users/${user}/connections/${of}/backfill`;

async function wearer(): Promise<string> {
  const user = await createUser(api);
  const body = { provider: 'devicemaker', provider_user_id: randomUUID(), access_token: randomUUID() };
  await api.expect(201, `/users/${user}/connections`, { body });
  return user;
}

t.test('it is started, shown and cancelled over HTTP, in one shape', async (t) => {
  const user = await wearer();
  t.match(await api.expect(404, pathOf(user)), { detail: 'No backfill of this connection was started.' });
  const begun = Backfill.strict().parse(await api.expect(202, pathOf(user), { method: 'POST' }));
  t.match(begun, {
    user_id: user,
    provider: 'devicemaker',
    status: 'running',
    reason: null,
    finished_at: null,
  });
  const days = (Date.parse(begun.end_time) - Date.parse(begun.start_time)) / 86_400_000;
  t.equal(days, 45, 'the setting says how many days');
  t.same(
    begun.types.map(({ type, requests, items }) => [type, requests, items]),
    [
      ['dailies', 2, 0],
      ['sleeps', 2, 0],
    ],
  );
  // The first request may be sent before the answer.
  t.ok(begun.types.every(({ status }) => status === 'waiting' || status === 'requested'));
  t.match(await api.expect(409, pathOf(user), { body: { days: 5 } }), {
    detail: 'A backfill of this connection is already running.',
  });
  const shown = Backfill.parse(await api.expect(200, pathOf(user)));
  t.equal(shown.id, begun.id);
  const cancelled = Backfill.parse(await api.expect(200, pathOf(user), { method: 'DELETE' }));
  t.match(cancelled, { id: begun.id, status: 'cancelled' });
  const again = Backfill.parse(await api.expect(202, pathOf(user), { body: { days: 1 } }));
  t.not(again.id, begun.id);
  t.equal(Date.parse(again.end_time) - Date.parse(again.start_time), 86_400_000);
});

t.test('wrong input and unknown things are told apart', async (t) => {
  const user = await wearer();
  const bare = await createUser(api);
  for (const days of [0, 3651, 1.5, '30', null]) {
    const answer = await api.expect(422, pathOf(user), { body: { days } });
    t.match(answer, { errors: [{ field: 'days' }] }, String(days));
  }
  await api.expect(422, pathOf('42'), { body: {} });
  await api.expect(422, pathOf(user, 'x'), { body: {} });
  for (const method of ['GET', 'POST', 'DELETE']) {
    t.match(await api.expect(404, pathOf(randomUUID()), { method }), { detail: /User/ }, method);
    t.match(await api.expect(404, pathOf(bare), { method }), { detail: /Connection/ }, method);
  }
  const body = { provider: 'devicemaker', provider_user_id: randomUUID() };
  await api.expect(201, `/users/${bare}/connections`, { body });
  t.match(await api.expect(409, pathOf(bare), { body: {} }), { detail: /no access token/ });
});

t.test("a user's own token sees how far it is, and starts or cancels nothing", async (t) => {
  const user = await wearer();
  await api.expect(202, pathOf(user), { method: 'POST' });
  const own = await userToken(api, user);
  const foreign = await userToken(api, await createUser(api));
  const ask = (method: string, token: string) =>
    api.ask(`/api/v1${pathOf(user)}`, { method, token, ...(method === 'POST' ? { body: {} } : {}) });
  t.equal((await ask('GET', own)).status, 200);
  t.equal((await ask('GET', foreign)).status, 403);
  for (const method of ['POST', 'DELETE']) t.equal((await ask(method, own)).status, 403, method);
  t.equal((await ask('GET', api.developerToken)).status, 200);
  t.equal((await ask('DELETE', api.developerToken)).status, 200);
});

t.test('the data comes by push, and the answer to it says whose next request it set off', async (t) => {
  const user = await createUser(api);
  const [account, access_token] = [randomUUID(), randomUUID()];
  const link = { provider: 'devicemaker', provider_user_id: account, access_token };
  await api.expect(201, `/users/${user}/connections`, { body: link });
  const chained: string[][] = [];
  const Chained = z.object({ backfill_chained: z.array(z.string()) });
  provider.onBackfill = ({ type, from, token }) => {
    if (token !== access_token) return { status: 202 };
    const item = {
      userId: account,
      summaryId: `${type}-${from}`,
      startTimeInSeconds: from + 86_400,
      startTimeOffsetInSeconds: 0,
      durationInSeconds: 3600,
    };
    const given = type === 'dailies' ? { steps: 100 } : { deepSleepDurationInSeconds: 3600 };
    const body = { [type]: [{ ...item, ...given }] };
    setTimeout(async () => {
      const headers = { 'devicemaker-client-id': 'our-client' };
      const answer = await api.ask('/api/v1/webhooks/devicemaker/push', { body, headers });
      chained.push(Chained.parse(answer.body).backfill_chained);
    }, 20);
    return { status: 202 };
  };
  await api.expect(202, pathOf(user), { body: { days: 60 } });
  const status = async () => Backfill.parse(await api.expect(200, pathOf(user)));
  await until(async () => (await status()).status === 'done', 'the end');
  await until(() => chained.length === 4, 'the last answer');
  // The last push may be answered before the one that set it off.
  const bySize = chained.toSorted((one, other) => other.length - one.length);
  t.same(bySize, [[user], [user], [user], []]);
  t.match((await status()).types, [
    { type: 'dailies', status: 'received', requests: 2, requests_done: 2, items: 2, saved: 2 },
    { type: 'sleeps', status: 'received', items: 2, saved: 2 },
  ]);
});

t.test('the data comes by ping, and the answer to it names the user under its type', async (t) => {
  const user = await createUser(api);
  const [account, access_token] = [randomUUID(), randomUUID()];
  const link = { provider: 'devicemaker', provider_user_id: account, access_token };
  await api.expect(201, `/users/${user}/connections`, { body: link });
  provider.onBackfill = () => ({ status: 202 });
  await api.expect(202, pathOf(user), { body: { days: 30 } });
  await until(() => provider.asked.some(({ token }) => token === access_token), 'the request');
  const start = Math.floor(Date.now() / 1000) - 10 * 86_400;
  const item = (day: number) => ({
    userId: account,
    summaryId: `d-${day}`,
    startTimeInSeconds: start + day * 86_400,
    startTimeOffsetInSeconds: 0,
    durationInSeconds: 86_400,
    steps: 100,
  });
  provider.onCallback = () => [item(0), item(1)];
  const query = `uploadStartTimeInSeconds=${start}&uploadEndTimeInSeconds=${start + 86_400}&token=t`;
  const notice = { userId: account, callbackURL: `${provider.url}/wellness-api/rest/dailies?${query}` };
  const answer = await api.ask('/api/v1/webhooks/devicemaker/ping', {
    body: { dailies: [notice] },
    headers: { 'devicemaker-client-id': 'our-client' },
  });
  t.match(answer.body, {
    backfill_chained: [user],
    wellness: { dailies: { errors: [], saved: 2, new_success_users: [user] } },
  });
  const { types } = Backfill.parse(await api.expect(200, pathOf(user)));
  t.match(types[0], { type: 'dailies', status: 'received', items: 2, saved: 2 });
});

t.test('a push that deregisters the account stops it', async (t) => {
  provider.onBackfill = () => ({ status: 202 });
  const user = await createUser(api);
  const account = randomUUID();
  const link = { provider: 'devicemaker', provider_user_id: account, access_token: 'x' };
  await api.expect(201, `/users/${user}/connections`, { body: link });
  await api.expect(202, pathOf(user), { method: 'POST' });
  const body = { deregistrations: [{ userId: account }] };
  const headers = { 'devicemaker-client-id': 'our-client' };
  t.match((await api.ask('/api/v1/webhooks/devicemaker/push', { body, headers })).body, {
    deregistrations: { revoked: 1 },
  });
  t.match(await api.expect(200, pathOf(user)), { status: 'stopped', reason: /ended/ });
});
