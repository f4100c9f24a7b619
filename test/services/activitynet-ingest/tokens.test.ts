import t from 'tap';
import { run } from '../../fixtures/activitynet/activities.ts';
import { until } from '../../support/until.ts';
import { idle, setUp } from './setting.ts';

const expired = { access_token: 'old', refresh_token: 'refresh-1', expires_at: '2020-01-01T00:00:00Z' };
const hours = (n: number) => Math.floor(Date.now() / 1000) + n * 3600;

t.test('20 fetches at once with an expired token make one refresh, in several processes too', async (t) => {
  const s = await setUp(t, { processes: 3, pace: { parallel: 7 } });
  const { account } = await s.person(undefined, expired);
  s.provider.tokens.add('new');
  s.provider.refresh = () => ({
    status: 200,
    body: { access_token: 'new', refresh_token: 'refresh-2', expires_at: hours(6) },
  });
  s.provider.limits = { quarter: 0, day: 0 };
  await s.database.query(`update activitynet.budget set paused_until = 'infinity'`);
  for (let n = 1; n <= 20; n += 1) {
    const start_date = new Date(Date.parse('2026-02-01T08:00:00Z') + n * 86_400_000).toISOString();
    s.provider.activities.set(String(n), { details: run(String(n), { manual: true, start_date }) });
    await s.send({ owner_id: Number(account), object_id: n });
  }
  s.provider.limits = { quarter: 100, day: 1000 };
  await s.database.query('update activitynet.budget set paused_until = null');
  await s.settled();
  t.equal(s.provider.refreshes.length, 1);
  t.match(s.provider.refreshes[0], /grant_type=refresh_token&refresh_token=refresh-1/);
  t.equal(s.provider.asked.length, 20);
  t.ok(s.provider.asked.every(({ token, status }) => token === 'new' && status === 200));
  t.match(await s.database.query('select count(*)::int as n from timeseries.workout'), [{ n: 20 }]);
});

t.test('a token that the provider refuses is refreshed once, and the read is sent again', async (t) => {
  const s = await setUp(t, { bus: false });
  const { account } = await s.person(undefined, { access_token: 'old', refresh_token: 'refresh-1' });
  s.provider.tokens.add('new');
  s.provider.refresh = () => ({
    status: 200,
    body: { access_token: 'new', refresh_token: 'refresh-2', expires_at: hours(6) },
  });
  s.provider.activities.set('1', { details: run('1', { manual: true }) });
  await s.send({ owner_id: Number(account), object_id: 1 });
  await s.settled();
  t.same(
    s.provider.asked.map(({ token, status }) => [token, status]),
    [
      ['old', 401],
      ['new', 200],
    ],
  );
  t.equal(s.provider.refreshes.length, 1);
});

t.test('a connection whose fresh token is refused as well has ended', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id, account } = await s.person(undefined, { access_token: 'old', refresh_token: 'refresh-1' });
  s.provider.tokens.add('of another');
  s.provider.refresh = () => ({
    status: 200,
    body: { access_token: 'new', refresh_token: 'refresh-2', expires_at: hours(6) },
  });
  await s.send({ owner_id: Number(account), object_id: 1 });
  await s.settled();
  t.same(
    s.provider.asked.map(({ token, status }) => [token, status]),
    [
      ['old', 401],
      ['new', 401],
    ],
  );
  t.match(await s.call('users.connections', { user_id: id }), [{ status: 'expired' }]);
  t.match(await s.call('activitynet-ingest.figures', {}), { budget: { quarter_used: 2 } });
});

t.test('a refusal expires the connection with a reason, and what waits for it is dropped', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id, account } = await s.person(undefined, expired);
  for (const object_id of [1, 2, 3]) await s.send({ owner_id: Number(account), object_id });
  await s.settled();
  t.match(await s.call('users.connections', { user_id: id }), [{ status: 'expired' }]);
  t.match(await s.database.query('select status_reason, access_token from users.connection'), [
    { status_reason: 'TOKEN_REFUSED', access_token: null },
  ]);
  t.equal(s.provider.asked.length, 0);
  for (const { error } of await s.rows()) t.match(error, /^(TOKEN_REFUSED|CONNECTION_GONE)$/);
  // The first job that is refused drops the others, which give their reads back when they end.
  await until(async () => (await s.call('activitynet-ingest.figures', {})).budget?.quarter_used === 0);
  t.match(await s.call('activitynet-ingest.figures', {}), { budget: { quarter_used: 0, day_used: 0 } });
});

t.test('while the token endpoint is down nothing is lost, and no read is spent', async (t) => {
  const s = await setUp(t, { bus: false });
  const { account } = await s.person(undefined, expired);
  s.provider.refresh = () => ({ status: 503, body: {} });
  s.provider.activities.set('1', { details: run('1', { manual: true }) });
  await s.send({ owner_id: Number(account), object_id: 1 });
  await idle(s);
  t.match(await s.rows(), [{ work: 'fetch', error: 'REFRESH_FAILED' }]);
  t.equal(s.provider.asked.length, 0);
  s.provider.refresh = () => ({
    status: 200,
    body: { access_token: 'new', refresh_token: 'refresh-2', expires_at: hours(6) },
  });
  s.provider.ahead += 60_000;
  await s.settled();
  t.match(await s.rows(), [{ error: null }]);
});

t.test('a read that the owner did not allow is no reason to throw the connection away', async (t) => {
  const withheld = [{ resource: 'AccessToken', field: 'activity:read_permission', code: 'missing' }];
  for (const fault of [403, { status: 401, body: { message: 'Authorization Error', errors: withheld } }]) {
    const s = await setUp(t, { bus: false });
    const { id, account } = await s.person(undefined, { access_token: 'old', refresh_token: 'refresh-1' });
    s.provider.fault = () => fault;
    await s.send({ owner_id: Number(account), object_id: 1 });
    await s.settled();
    t.match(await s.rows(), [{ error: 'NOT_ALLOWED' }]);
    t.match(await s.call('users.connections', { user_id: id }), [{ status: 'active' }]);
    t.equal(s.provider.refreshes.length, 0, 'nor to refresh its token');
    t.equal(s.provider.asked.length, 1);
  }
});
