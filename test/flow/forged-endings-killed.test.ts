import { once } from 'node:events';
import t from 'tap';
import { push } from '../support/api.ts';
import { until } from '../support/until.ts';
import { install, paths } from './forged-endings.ts';

t.test('after kill -9 of the process that reads at the provider another one repeats the read', async (t) => {
  const on = await install(t, {}, ['users']);
  const { provider } = on;
  const first = on.members.users;
  const member = await on.member('devicemaker');
  provider.faults.set(paths.devicemaker.read, 0); // no answer
  await on.report(member);
  await until(() => on.reads('devicemaker') === 1, 'the read is under way');
  first?.kill('SIGKILL');
  if (first !== undefined) await once(first, 'exit');
  provider.faults.clear();
  on.start('users');
  t.match(await on.connection(member), { status: 'revoked', ending: 'applied', access_token: String });
  await on.hurry(); // the lease of the one that was killed ends
  await until(async () => (await on.connection(member)).status === 'active');
  t.equal(on.reads('devicemaker'), 2);
  t.equal((await on.audit(member)).filter(({ action }) => action === 'connection.restored').length, 1);
});

t.test('after kill -9 during a restoration another process replays the held deliveries', async (t) => {
  const on = await install(t, {}, ['users', 'deliveries']);
  const { api, provider } = on;
  const { users: first, deliveries } = on.members;
  const member = await on.member('devicemaker');
  provider.faults.set(paths.devicemaker.read, 503);
  await on.report(member);
  await push(api, { dailies: [{ userId: member.account }] });
  t.equal((await on.connection(member)).held, 1);
  deliveries?.kill('SIGKILL');
  if (deliveries !== undefined) await once(deliveries, 'exit');
  provider.faults.clear();
  await on.hurry();
  await until(async () => (await on.connection(member)).status === 'active');
  first?.kill('SIGKILL');
  if (first !== undefined) await once(first, 'exit');
  t.equal((await on.connection(member)).held, 1);
  on.start('users');
  on.start('deliveries');
  await until(async () => {
    await on.hurry();
    return (await on.connection(member)).held === 0;
  });
  const replayed = () =>
    api.database.query(`select from deliveries.delivery where replayed_at is not null and state = 'done'`);
  await until(async () => (await replayed()).length === 1);
});
