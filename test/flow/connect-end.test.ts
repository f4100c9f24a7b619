import t from 'tap';
import { Status } from '../../contracts/deliveries.ts';
import { playProvider } from '../services/connect/provider.ts';
import { createUser, push, type TestApi, userToken } from '../support/api.ts';
import { completeConnect, connectionsOf, jobsOf, startConnect } from '../support/connect.ts';
import { until } from '../support/until.ts';

const provider = await playProvider(t);
const api = await startConnect(t, provider.settings, {}, ['devicemaker-ingest']);

const registration = () => provider.count('DELETE', '/dm/api/user/registration');
const revocations = () => jobsOf(api.database, 'users.token_revocation');
/** Sets when the revocations that no worker holds are due. */
const due = (at: string) =>
  api.database.query(
    `update jobs.job set run_at = ${at} where kind = 'users.token_revocation' and not leased`,
  );
const disconnect = (on: TestApi, userId: string, name = 'devicemaker', query = '') =>
  on.expect(200, `/users/${userId}/connections/${name}${query}`, { method: 'DELETE' });

async function connected(account: string, name: 'devicemaker' | 'activitynet' = 'devicemaker') {
  const userId = await createUser(api);
  provider.account = account;
  await completeConnect(api, userId, name);
  return userId;
}

t.test('a disconnect erases the tokens at once and revokes the access at the provider', async (t) => {
  const calls = [
    ['devicemaker', 'DELETE', '/dm/api/user/registration', '71'],
    ['activitynet', 'POST', '/an/oauth/deauthorize', '72'],
  ] as const;
  for (const [name, method, path, account] of calls) {
    const userId = await connected(account, name);
    const [token] = [...provider.alive].find(([, owner]) => owner === account) ?? [];
    t.match(await disconnect(api, userId, name), { status: 'revoked', provider_user_id: account });
    t.strictSame(
      await api.database.query(
        'select access_token, refresh_token, expires_at from users.connection where user_id = $1',
        [userId],
      ),
      [{ access_token: null, refresh_token: null, expires_at: null }],
    );
    await until(() => provider.seen.some((one) => one.path === path && one.token === token), name);
    await until(async () => (await revocations()).length === 0, 'nothing is kept of the tokens');
    t.equal(provider.count(method, path), 1);
    t.notOk([...provider.alive.values()].includes(account));
    t.match(await disconnect(api, userId, name), { status: 'revoked' }, 'once more changes nothing');
    t.strictSame(await revocations(), []);
  }
});

t.test('a failed revocation is retried; an expired token is refreshed for it', async (t) => {
  const userId = await connected('73');
  provider.faults.set('/dm/api/user/registration', 503);
  const before = registration();
  await disconnect(api, userId);
  await until(() => registration() > before);
  await until(async () => (await revocations())[0]?.failures === 1);
  await due("now() + interval '1 hour'");
  provider.faults.clear();
  for (const [token, account] of provider.alive) if (account === '73') provider.alive.delete(token);
  await due('now()');
  await until(async () => (await revocations()).length === 0);
  t.equal(registration(), before + 3, 'the fault, the token that had ended, the fresh one');
  t.notOk([...provider.alive.values()].includes('73'));
});

t.test('a connection that is made again before the revocation keeps its access', async (t) => {
  const userId = await connected('74');
  provider.faults.set('/dm/api/user/registration', 503);
  const before = registration();
  await disconnect(api, userId);
  await until(() => registration() > before);
  provider.faults.clear();
  await completeConnect(api, userId, 'devicemaker');
  t.strictSame(await revocations(), []);
  t.match(await connectionsOf(api, userId), [{ status: 'active' }]);
  t.equal(registration(), before + 1);
});

t.test('the access to an account ends with the last user who is connected to it', async (t) => {
  const one = await connected('75');
  const two = await connected('75');
  const before = registration();
  await disconnect(api, one);
  await until(async () => (await revocations()).length === 0);
  t.equal(registration(), before);
  await disconnect(api, two);
  await until(() => registration() === before + 1);
});

t.test('the access of a deleted user is revoked too', async (t) => {
  const userId = await connected('76');
  const before = registration();
  await api.expect(200, `/users/${userId}`, { method: 'DELETE' });
  await until(() => registration() === before + 1);
  await until(async () => (await revocations()).length === 0);
  t.equal(registration(), before + 1);
});

const start = Date.UTC(2026, 2, 1) / 1000;
const day = (userId: string, seconds = 43_200) => ({
  dailies: [
    {
      userId,
      summaryId: `d-${userId}`,
      calendarDate: '2026-03-01',
      startTimeInSeconds: start,
      startTimeOffsetInSeconds: 0,
      durationInSeconds: seconds,
      steps: 4000,
      timeOffsetHeartRateSamples: { '15': 61, '30': 62 },
    },
  ],
});
const samplesOf = (userId: string) =>
  api.expect(200, `/users/${userId}/timeseries?start_time=2026-03-01&end_time=2026-03-02`);

const erasuresOf = (account: string) =>
  api.database.query('select provider from deliveries.erasure where provider_user_id = $1', [account]);

t.test('a disconnect keeps the data; with purge it erases the data of this provider only', async (t) => {
  const userId = await connected('81');
  const other = await connected('81');
  await push(api, day('81'));
  t.match(await samplesOf(userId), { pagination: { total_count: 2 } });
  await disconnect(api, userId);
  t.match(await samplesOf(userId), { pagination: { total_count: 2 } }, 'kept');
  t.match(await disconnect(api, userId, 'devicemaker', '?purge=false'), { status: 'revoked' });
  t.match(await samplesOf(userId), { pagination: { total_count: 2 } }, 'still kept');
  await api.expect(422, `/users/${userId}/connections/devicemaker?purge=perhaps`, { method: 'DELETE' });

  t.match(
    await disconnect(api, userId, 'devicemaker', '?purge=true'),
    { status: 'revoked' },
    'asked for later',
  );
  t.match(await samplesOf(userId), { data: [], pagination: { total_count: 0 } });
  t.match(await samplesOf(other), { pagination: { total_count: 2 } }, "another user's data stays");
  t.strictSame(await erasuresOf('81'), [], 'and so does what came for both');

  provider.account = '81';
  await completeConnect(api, userId, 'devicemaker');
  await push(api, day('81'));
  t.match(await samplesOf(userId), { pagination: { total_count: 2 } }, 'the same items are stored again');
  await api.expect(200, `/users/${userId}/connections/devicemaker?purge=true`, { method: 'DELETE' });
  t.match(await samplesOf(userId), { pagination: { total_count: 0 } });
});

t.test(
  'a purge is carried out when timeseries is available again, also if the user connected again',
  async (t) => {
    const userId = await connected('82');
    await push(api, day('82'));
    const patient = await connected('83');
    await push(api, day('83'));
    const timeseries = api.broker.getLocalService('timeseries');
    const schema = timeseries?.originalSchema ?? timeseries?.schema;
    t.ok(schema);
    if (timeseries === undefined || schema === undefined) return;
    await api.broker.destroyService(timeseries);
    t.match(await disconnect(api, userId, 'devicemaker', '?purge=true'), { status: 'revoked' });
    t.match(await disconnect(api, patient, 'devicemaker', '?purge=true'), { status: 'revoked' });
    provider.account = '82';
    const answer = await completeConnect(api, userId, 'devicemaker');
    t.match(answer.headers.get('location'), /reason=unavailable/, 'not before the purge is certain');

    api.broker.createService(schema);
    await api.broker.waitForServices('timeseries');
    await completeConnect(api, userId, 'devicemaker');
    t.match(await connectionsOf(api, userId), [{ status: 'active' }]);
    t.match(await samplesOf(userId), { pagination: { total_count: 0 } });
    await push(api, day('82'));
    t.match(await samplesOf(userId), { pagination: { total_count: 2 } });
    const wanted = () => api.database.query("select from users.connection where purge = 'wanted'");
    await until(async () => (await wanted()).length === 0);
    t.match(await samplesOf(patient), { pagination: { total_count: 0 } });
    t.match(
      await erasuresOf('83'),
      [{ provider: 'devicemaker' }],
      'raw deliveries will lose their items too',
    );
    t.match(await samplesOf(userId), { pagination: { total_count: 2 } }, 'nothing came too late');
  },
);

t.test('after a purge activities are fetched again', async (t) => {
  const userId = await connected('84', 'activitynet');
  const [connection] = await connectionsOf(api, userId);
  const known = () =>
    api.database.query('select object_id from activitynet.activity where user_id = $1', [userId]);
  await api.database.query(
    `insert into activitynet.activity (user_id, object_id, connection_id, turn, fetched_at, streams_for)
     values ($1, 4294967297, $2, 0, now(), 'a recording')`,
    [userId, connection?.id],
  );
  await disconnect(api, userId, 'activitynet');
  t.equal((await known()).length, 1);
  const body = { provider: 'devicemaker', provider_user_id: 'account 84' };
  await api.expect(201, `/users/${userId}/connections`, { body });
  await disconnect(api, userId, 'devicemaker', '?purge=true');
  t.equal((await known()).length, 1, 'a purge of another provider leaves it');
  await disconnect(api, userId, 'activitynet', '?purge=true');
  t.strictSame(await known(), []);
});

t.test('an error of a connection is described in a sentence', async (t) => {
  const userId = await connected('91', 'activitynet');
  const status = () => api.expect(200, `/users/${userId}/connections/activitynet`);
  t.match(await status(), { provider: 'activitynet', status: 'active', last_error: null });
  const tokens = await api.call('users.tokens', { user_id: userId, provider: 'activitynet' });
  const { connection_id, version } = tokens;
  await api.call('users.expire', { connection_id, version, reason: 'TOKEN_REFUSED' });
  t.match(await status(), {
    status: 'expired',
    last_error: 'The provider no longer accepts our access: the user has to connect again.',
  });
  await api.expect(404, `/users/${userId}/connections/devicemaker`);
});

t.test('GET /status counts the requests to a provider', async (t) => {
  const userId = await connected('95');
  await until(async () => {
    const { providers } = Status.parse(await api.expect(200, '/status'));
    return providers.devicemaker.configured && providers.devicemaker.answers.requests > 0;
  });
  const token = await userToken(api, userId);
  t.equal((await api.ask('/api/v1/status', { token })).status, 403);
  t.equal((await api.ask('/api/v1/status')).status, 401);
});
