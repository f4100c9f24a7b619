import { randomUUID } from 'node:crypto';
import t from 'tap';
import { backfillService } from '../../../services/backfill/backfill.service.ts';
import type { RunLease } from '../../../services/backfill/tables/runs.ts';
import type { BegunStep } from '../../../services/backfill/tables/steps.ts';
import { settle } from '../../../services/backfill/work/steps.ts';
import users from '../../../services/users/users.service.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import { playProvider } from './provider.ts';
import { startSetting, stepsOn, testPace, untilAsked } from './setting.ts';

t.test('a new process goes on where the old one stopped, and asks nothing twice', async (t) => {
  const on = await startSetting(t, { types: 'dailies,sleeps,hrv' });
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  await on.bring(wearer, 'dailies');
  await untilAsked(on, 2);
  await on.broker.stop();

  const next = await startBroker(t, {
    databaseUrl: on.database.url,
    services: [users, backfillService(testPace)],
    settings: on.settings,
  });
  const steps = stepsOn(next.call, on.database);
  t.match((await steps.status(wearer)).types, [{ status: 'received' }, { status: 'requested' }]);
  t.same((await steps.bring(wearer, 'sleeps')).chained, [wearer.user_id]);
  await untilAsked(on, 3);
  await steps.bring(wearer, 'hrv');
  await until(async () => (await steps.status(wearer)).status === 'done', 'the end');
  t.same(
    on.provider.asked.map(({ type }) => type),
    ['dailies', 'sleeps', 'hrv'],
  );
});

t.test('a process that stops while the provider is silent lets another ask', async (t) => {
  const on = await startSetting(t, { pace: { timeoutMs: 60_000 } });
  on.provider.onBackfill = () => 'silent';
  const wearer = await on.wearer();
  await on.start(wearer);
  await until(() => on.provider.asked.length === 1, 'the request');
  await on.broker.stop();
  const [row] = await on.database.query('select asking, run_at <= now() as is_due, state from backfill.run');
  t.same(row, { asking: false, is_due: true, state: 'running' });

  // The silent request had been taken all the same: the provider says so, and sends the data once.
  on.provider.onBackfill = () => ({ status: 409 });
  const next = await startBroker(t, {
    databaseUrl: on.database.url,
    services: [users, backfillService(testPace)],
    settings: on.settings,
  });
  const steps = stepsOn(next.call, on.database);
  await untilAsked(on, 2);
  t.match((await steps.status(wearer)).types[0], { type: 'dailies', status: 'requested' });
  t.same((await steps.bring(wearer, 'dailies')).chained, [wearer.user_id]);
});

t.test('a process that was killed in the middle is followed when its lease ends, not before', async (t) => {
  const on = await startSetting(t);
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  // As a kill leaves it: the step noted as asked, the run held by nobody who lives.
  await on.database.query('update backfill.step set deadline = null where position = 1');
  await on.database.query(`update backfill.run set asking = true, run_at = now() + interval '1 minute'`);
  t.same((await on.bring(wearer, 'sleeps')).chained, []);
  const [held] = await on.database.query(`select run_at > now() as is_held from backfill.run`);
  t.same(held, { is_held: true });
  t.equal(on.provider.asked.length, 1);
  on.provider.onBackfill = ({ type }) => ({ status: type === 'dailies' ? 409 : 202 });
  await on.database.query('update backfill.run set run_at = now()');
  await untilAsked(on, 2);
  t.equal(on.provider.asked[1]?.type, 'dailies', 'nobody knows whether it was asked');
  t.match((await on.status(wearer)).types[0], { status: 'requested' }, 'and its data may be on the way');
});

t.test('an outcome of a holder whose lease was lost changes nothing', async (t) => {
  const on = await startSetting(t);
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  const [run] = await on.database.query<RunLease>('select * from backfill.run');
  const [step] = await on.database.query<BegunStep>('select * from backfill.step where position = 1');
  if (run === undefined || step === undefined) throw new Error('nothing was started');
  const before = await on.status(wearer);
  const lost = { ...run, attempt: run.attempt - 1 };
  const verdict = { kind: 'stop', reason: 'HISTORY_WITHHELD' } as const;
  t.equal(await settle(on.database, lost, step, verdict, 1000), false);
  t.same(await on.status(wearer), before);
  t.equal(await settle(on.database, run, step, verdict, 1000), true);
  t.equal((await on.status(wearer)).status, 'stopped');
});

t.test(
  'three processes on one bus never ask the same step twice, nor two of one connection at once',
  async (t) => {
    const [database, provider] = [await freshDatabase(t), await playProvider(t)];
    const bus = {
      databaseUrl: database.url,
      natsUrl: natsUrl(),
      namespace: `backfill-${randomUUID()}`,
      settings: { ...provider.settings, BACKFILL_TYPES: 'dailies,sleeps,hrv,epochs' },
    };
    const home = await startBroker(t, { ...bus, services: [users] });
    for (let process = 0; process < 3; process += 1)
      await startBroker(t, { ...bus, services: [backfillService({ ...testPace, parallel: 5 })] });
    await home.broker.waitForServices(['backfill'], 60_000);
    const { wearer, start, bring, status } = stepsOn(home.call, database);
    const wearers = await Promise.all(Array.from({ length: 12 }, () => wearer()));
    provider.onBackfill = async ({ token, type }) => {
      const one = wearers.find((each) => each.token === token);
      // Half of the data comes before the answer, half after it, all of it twice.
      const tell = () => (one === undefined ? undefined : Promise.all([bring(one, type), bring(one, type)]));
      if (type === 'sleeps' || type === 'epochs') await tell();
      else setTimeout(() => void tell(), 5);
      return { status: 202 };
    };
    await Promise.all(wearers.map((one) => start(one)));
    await until(async () => {
      const all = await Promise.all(wearers.map(status));
      return all.every((each) => each.status === 'done');
    }, 'the end of all');
    const asked = provider.asked.map(({ token, type }) => `${token} ${type}`);
    t.equal(asked.length, 48);
    t.equal(new Set(asked).size, 48);
    t.equal(provider.mostAtOnce(), 1);
  },
);
