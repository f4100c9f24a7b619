import { randomUUID } from 'node:crypto';
import t from 'tap';
import { refusal } from '../../support/refusal.ts';
import { until } from '../../support/until.ts';
import { settingsOf, statusByType, untilAsked } from './setting.ts';

const provider = 'devicemaker' as const;
const played = ['auth.forgetUser', 'timeseries.erase'].map((name) => {
  const [service = '', action = ''] = name.split('.');
  return { name: service, actions: { [action]: () => ({}) } };
});

const settings = settingsOf(t);
const settingOf = () => settings({ services: played });

t.test(
  'one that is cancelled asks nothing more, and stays as it is when it is cancelled again',
  async (t) => {
    const on = await settingOf();
    const wearer = await on.wearer();
    await on.start(wearer);
    await untilAsked(on, 1);
    const link = { user_id: wearer.user_id, provider };
    const cancelled = await on.call('backfill.cancel', link);
    t.match(cancelled, { status: 'cancelled', reason: null });
    t.type(cancelled.finished_at, 'string');
    t.same(statusByType(cancelled), { dailies: 'skipped', sleeps: 'skipped', hrv: 'skipped' });
    t.same(await on.call('backfill.cancel', link), cancelled);
    await on.turnClock();
    const late = await on.bring(wearer, 'dailies', { items: 9 });
    t.same(late, { chained: [], completed: [] }, 'what was asked for may still come, and sets nothing off');
    t.match((await on.status(wearer)).types[0], { status: 'received', items: 9 });
    t.equal(on.provider.asked.length, 1);
    t.match(await on.start(wearer), { status: 'running' }, 'another may be started');
  },
);

t.test('what comes for a step that its ended run left open is counted, and completes nothing', async (t) => {
  const on = await settingOf();
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  await on.database.query(
    `update backfill.run set state = 'stopped', finished_at = now() where connection_id = $1`,
    [wearer.connection_id],
  );
  t.same(await on.bring(wearer, 'dailies', { items: 9 }), { chained: [], completed: [] });
  t.match((await on.status(wearer)).types[0], { items: 9 });
  t.equal(on.provider.asked.length, 1);
});

t.test('one that is cancelled while the provider thinks is not revived by its answer', async (t) => {
  const on = await settingOf();
  const wearer = await on.wearer();
  on.provider.onBackfill = async () => {
    await on.call('backfill.cancel', { user_id: wearer.user_id, provider });
    return { status: 202 };
  };
  await on.start(wearer);
  await until(async () => (await on.status(wearer)).status === 'cancelled', 'the cancelling');
  await untilAsked(on, 1);
  await on.turnClock();
  t.match(await on.status(wearer), { status: 'cancelled', types: [{ status: 'skipped' }] });
  t.equal(on.provider.asked.length, 1);
});

t.test('a second one of the same connection is refused while one runs, however many try', async (t) => {
  const on = await settingOf();
  const wearer = await on.wearer();
  const tries = await Promise.allSettled(Array.from({ length: 10 }, () => on.start(wearer)));
  t.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
  await t.rejects(on.start(wearer), refusal('BACKFILL_RUNNING'));
  await untilAsked(on, 1);
  t.equal(on.provider.asked.length, 1);
  const [runs] = await on.database.query('select count(*)::int as n from backfill.run');
  t.same(runs, { n: 1 });
});

t.test('disconnecting stops it at once', async (t) => {
  const on = await settingOf();
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  await on.call('users.disconnect', { user_id: wearer.user_id, provider });
  t.match(await on.status(wearer), {
    status: 'stopped',
    reason: 'The connection to the provider has ended.',
  });
  await on.turnClock();
  await t.rejects(on.start(wearer), refusal('CONNECTION_INACTIVE'));
  t.equal(on.provider.asked.length, 1);
});

t.test('one that did not hear of the end finds out at its next request', async (t) => {
  const on = await settingOf();
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  await on.database.query(
    `update users.connection set status = 'revoked', access_token = null, refresh_token = null where id = $1`,
    [wearer.connection_id],
  );
  t.equal((await on.status(wearer)).status, 'running');
  await on.bring(wearer, 'dailies');
  await until(async () => (await on.status(wearer)).status === 'stopped', 'the end');
  t.equal(on.provider.asked.length, 1);
});

t.test('an account that is connected anew gets nothing of the chain of the old link', async (t) => {
  const on = await settingOf();
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  const { user_id } = wearer;
  await on.database.query(`update users.connection set status = 'revoked' where id = $1`, [
    wearer.connection_id,
  ]);
  await on.call('users.connect', { user_id, provider, provider_user_id: 'other', access_token: 'new' });
  await on.bring(wearer, 'dailies');
  await until(async () => (await on.status(wearer)).status === 'stopped', 'the end');
  t.match(await on.status(wearer), { reason: 'The account was connected again during the backfill.' });
  t.equal(on.provider.asked.length, 1);
  await on.start(wearer);
  await untilAsked(on, 2);
  t.equal(on.provider.asked[1]?.token, 'new');
});

t.test('of a user who is deleted nothing is kept', async (t) => {
  const on = await settingOf();
  const [wearer, other] = [await on.wearer(), await on.wearer()];
  await on.start(wearer);
  await on.start(other);
  await untilAsked(on, 2);
  await on.bring(wearer, 'dailies');
  await on.call('users.remove', { user_id: wearer.user_id });
  await t.rejects(on.status(wearer), refusal('USER_NOT_FOUND'));
  for (const table of ['run', 'step', 'receipt'])
    t.same(
      await on.database.query(
        `select from backfill.${table} where ${table === 'run' ? '' : 'run_'}id not in
         (select id from backfill.run where user_id = $1)`,
        [other.user_id],
      ),
      [],
      table,
    );
  t.equal((await on.status(other)).status, 'running');
});

t.test('one that was started while its user was deleted is gone at its next request', async (t) => {
  const on = await settingOf();
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  await on.database.query('update users.person set deleted_at = now() where id = $1', [wearer.user_id]);
  await on.turnClock();
  await until(async () => (await on.database.query('select from backfill.run')).length === 0, 'the end');
  t.equal(on.provider.asked.length, 1);
});

t.test('one that goes round in circles ends after 30 days', async (t) => {
  const on = await settingOf();
  on.provider.onBackfill = () => ({ status: 429 });
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  await on.database.query(`update backfill.run set created_at = now() - interval '31 days'`);
  await on.turnClock();
  await until(async () => (await on.status(wearer)).status !== 'running', 'the end');
  t.match(await on.status(wearer), {
    status: 'failed',
    reason: 'The backfill did not finish within 30 days.',
  });
});

t.test('it begins with a connection that is there, is active, and has a token', async (t) => {
  const on = await settingOf();
  const { id: user_id } = await on.call('users.create', {});
  const start = (user: string) => on.call('backfill.start', { user_id: user, provider });
  await t.rejects(start(randomUUID()), refusal('USER_NOT_FOUND'));
  await t.rejects(start(user_id), refusal('CONNECTION_NOT_FOUND'));
  await on.call('users.connect', { user_id, provider, provider_user_id: 'p' });
  await t.rejects(start(user_id), refusal('CONNECTION_WITHOUT_TOKEN'));
  for (const action of ['backfill.status', 'backfill.cancel'] as const) {
    await t.rejects(on.call(action, { user_id: randomUUID(), provider }), refusal('USER_NOT_FOUND'));
    await t.rejects(on.call(action, { user_id, provider }), refusal('BACKFILL_NOT_FOUND'));
  }
  t.same(on.provider.asked, []);
});
