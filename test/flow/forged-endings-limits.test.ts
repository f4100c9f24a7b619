import t from 'tap';
import { z } from 'zod';
import { push } from '../support/api.ts';
import { until } from '../support/until.ts';
import { install, type Member, paths, shows } from './forged-endings.ts';

// A hundredth of the day's reads may be checks in an hour: 3.
const on = await install(t, { ACTIVITYNET_READS_PER_DAY: '300', ACTIVITYNET_READS_PER_15_MIN: '100' });
const { api, provider } = on;

const rounds = () => new Promise((resolve) => setTimeout(resolve, 2500));
const windowPasses = () =>
  api.database.query(`update users.access_quota set window_start = now() - interval '61 minutes'`);

t.test('many forged endings take at most the reads of an hour, and end no other connections', async (t) => {
  const members: Member[] = [];
  for (let n = 0; n < 7; n += 1) members.push(await on.member('activitynet'));
  provider.faults.set(paths.activitynet.read, 503);
  await Promise.all(members.map((member) => on.report(member)));
  const isNoted = async (member: Member) => (await on.connection(member)).ending !== null;
  await until(async () => (await Promise.all(members.map(isNoted))).every((noted) => noted));
  const states = await Promise.all(members.map((member) => on.connection(member)));
  t.equal(states.filter(({ status }) => status === 'revoked').length, 3);
  t.equal(states.filter(({ status, ending }) => status === 'active' && ending === 'wanted').length, 4);
  await until(() => on.reads('activitynet') >= 3);
  await on.hurry();
  await rounds();
  t.equal(on.reads('activitynet'), 3, 'failures count too');
  provider.faults.clear();
  const areActive = async () => {
    await windowPasses();
    await on.hurry();
    const before = on.reads('activitynet');
    await rounds();
    t.ok(on.reads('activitynet') <= before + 3, 'three more in the next hour');
    const after = await Promise.all(members.map((member) => on.connection(member)));
    return after.every(({ status, ending }) => status === 'active' && ending !== 'wanted');
  };
  let areAllActive = false;
  for (let hours = 0; hours < 10 && !areAllActive; hours += 1) areAllActive = await areActive();
  t.ok(areAllActive, 'in the end all of them were asked about');
  const [budget] = await api.database.query<{ day_used: number }>('select day_used from activitynet.budget');
  t.equal(budget?.day_used, on.reads('activitynet'), 'each of them is charged to the limits of the provider');
  t.equal(on.revocations('activitynet'), 0);
});

t.test('reports about unknown accounts take no read and leave no row', async (t) => {
  const before = on.reads('devicemaker');
  const [rows] = await api.database.query('select count(*)::int as n from users.access_check');
  await Promise.all(
    Array.from({ length: 100 }, (_, n) => on.report({ account: `nobody-${n}`, name: 'devicemaker' })),
  );
  await rounds();
  t.equal(on.reads('devicemaker'), before);
  t.same(await api.database.query('select count(*)::int as n from users.access_check'), [rows]);
});

t.test('a read without an answer is repeated with growing pauses for a limited time', async (t) => {
  const member = await on.member('devicemaker');
  provider.faults.set(paths.devicemaker.read, 429);
  const before = on.reads('devicemaker');
  await on.report(member);
  const waits = async () => {
    const [row] = await api.database.query<{ failures: number; seconds: number }>(
      `select failures, extract(epoch from run_at - now())::float8 as seconds
       from users.access_check k join users.connection c on c.id = k.connection_id where c.user_id = $1`,
      [member.userId],
    );
    return row ?? { failures: 0, seconds: 0 };
  };
  for (const failures of [1, 2, 3]) {
    await until(async () => (await waits()).failures === failures);
    t.ok((await waits()).seconds > 7 * 2 ** failures, `${failures}: ${(await waits()).seconds} s`);
    if (failures < 3) await on.hurry();
  }
  t.ok((await waits()).seconds > 3500, 'three reads an hour');
  t.equal(on.reads('devicemaker'), before + 3);
  t.match(await on.connection(member), { status: 'revoked', access_token: String });
  await api.database.query(`
    update users.access_check set ending_since = now() - interval '8 days', window_start = now() - interval '1 day'
    where ending is not null`);
  await on.hurry();
  await until(async () => (await on.connection(member)).access_token === null, 'after 7 days it stands');
  t.match((await on.audit(member)).at(-1), { action: 'connection.revoked', details: { confirmed: false } });
  provider.faults.clear();
});

t.test(
  'a disconnect by the application makes an unconfirmed ending final and revokes our access',
  async (t) => {
    const member = await on.member('devicemaker');
    provider.faults.set(paths.devicemaker.read, 503);
    await on.report(member);
    const before = on.revocations('devicemaker');
    const path = `/users/${member.userId}/connections/devicemaker`;
    t.match(await api.expect(200, path, { method: 'DELETE' }), { status: 'revoked' });
    t.match(await on.connection(member), { access_token: null, ending: null, status_reason: null });
    await until(() => on.revocations('devicemaker') === before + 1);
    provider.faults.clear();
  },
);

t.test('a user who is deleted meanwhile leaves nothing, and our access is revoked', async (t) => {
  const member = await on.member('devicemaker');
  provider.faults.set(paths.devicemaker.read, 503);
  await on.report(member);
  await push(api, { dailies: [{ userId: member.account }] });
  t.equal((await on.connection(member)).held, 1);
  const before = on.revocations('devicemaker');
  await api.expect(200, `/users/${member.userId}`, { method: 'DELETE' });
  await until(() => on.revocations('devicemaker') === before + 1);
  const left = () =>
    api.database.query(
      `select from users.connection where user_id = $1
       union all select from users.held_delivery h
       where not exists (select from users.connection c where c.id = h.connection_id)`,
      [member.userId],
    );
  await until(async () => (await left()).length === 0);
  provider.faults.clear();
});

t.test('a connection that is made again meanwhile is active, and the old report is void', async (t) => {
  const member = await on.member('devicemaker');
  provider.faults.set(paths.devicemaker.read, 503);
  await on.report(member);
  await push(api, { dailies: [{ userId: member.account }] });
  const before = on.reads('devicemaker');
  await until(() => on.reads('devicemaker') >= before);
  const body = { provider: 'devicemaker', provider_user_id: member.account, access_token: 'another' };
  await api.expect(201, `/users/${member.userId}/connections`, { body });
  t.match(await on.connection(member), { status: 'active', ending: 'restoring', status_reason: null });
  await until(async () => (await on.connection(member)).held === 0, 'what came meanwhile is replayed');
  await on.hurry();
  await until(async () => (await on.connection(member)).ending === null);
  t.equal((await on.connection(member)).status, 'active');
  provider.faults.clear();
});

t.test('an expired token is refreshed for the read, and the new one is stored', async (t) => {
  const member = await on.member('devicemaker');
  await api.database.query('delete from users.connection where user_id = $1', [member.userId]);
  provider.account = member.account;
  const { authorization_url } = z
    .object({ authorization_url: z.string() })
    .parse(await api.expect(200, `/connect/devicemaker/authorize?user_id=${member.userId}`));
  const { consentTo } = await import('../services/connect/provider.ts');
  const back = await consentTo(authorization_url);
  await api.ask(`${back.pathname}${back.search}`);
  await shows(api, member, 'active');
  const linked = await on.connection(member);
  for (const [token, account] of provider.alive) if (account === member.account) provider.alive.delete(token);
  await on.report(member);
  await shows(api, member, 'active');
  const restored = await on.connection(member);
  t.notSame(restored.access_token, linked.access_token);
  t.match(restored, { access_token: String, refresh_token: String });
});

t.test(
  'a read decides about a change of permissions; a forged time does not block later changes',
  async (t) => {
    const member = await on.member('devicemaker', { scope: ['ACTIVITY_EXPORT'] });
    provider.permissions = ['ACTIVITY_EXPORT', 'HEALTH_EXPORT'];
    const soon = Math.floor(Date.now() / 1000) + 3600;
    const change = (permissions: string[], changeTimeInSeconds: number) =>
      push(api, { userPermissionsChange: [{ userId: member.account, permissions, changeTimeInSeconds }] });
    provider.faults.set('/dm/api/user/permissions', 503);
    t.match((await change(['NOTHING'], soon)).body, { userPermissionsChange: { updated: 1, errors: [] } });
    t.same((await on.connection(member)).scope, ['NOTHING'], 'applied at once');
    const tried = () =>
      api.database.query(
        'select from users.access_check where permissions_since is not null and failures > 0',
      );
    await until(async () => (await tried()).length === 1);
    provider.faults.clear();
    await on.hurry();
    await until(async () => (await on.connection(member)).scope.length === 2);
    t.same((await on.connection(member)).scope, provider.permissions);
    t.match((await on.audit(member)).at(-1), {
      action: 'connection.changed',
      details: { cause: 'provider_read' },
    });
    provider.permissions = ['HEALTH_EXPORT'];
    await change(['HEALTH_EXPORT'], Math.floor(Date.now() / 1000) + 1);
    await until(async () => (await on.connection(member)).scope.length === 1, 'a true one comes through');
  },
);
