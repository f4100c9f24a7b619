import { randomUUID } from 'node:crypto';
import t from 'tap';
import { dayMs } from '../../../domain/time/time.ts';
import { claimRuns, insertRun } from '../../../services/backfill/tables/runs.ts';
import { refusal } from '../../support/refusal.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import { startSetting } from './setting.ts';

const on = await startSetting(t, { types: 'dailies,sleeps,hrv' });
const link = ({ user_id }: { readonly user_id: string }) => ({ user_id, provider: 'devicemaker' as const });
const entries = (id: string) =>
  on.database.query<{ details: unknown }>(
    "select details from auth.audit_entry where action = 'backfill.started' and subject_id = $1 order by at, id",
    [id],
  );

t.test('a backfill of some types plans and audits only these', async (t) => {
  const wearer = await on.wearer();
  const { types } = await on.call('backfill.start', { ...link(wearer), days: 45, types: ['hrv', 'epochs'] });
  t.same(
    types.map(({ type, requests }) => [type, requests]),
    [['hrv', 2]],
    'BACKFILL_TYPES does not name epochs',
  );
  t.same(await entries(wearer.connection_id), [
    { details: { provider: 'devicemaker', days: 45, types: ['hrv'] } },
  ]);
});

t.test('a backfill without types plans all, as its entry says', async (t) => {
  const wearer = await on.wearer();
  const { types } = await on.start(wearer, 2);
  t.same(
    types.map(({ type }) => type),
    ['dailies', 'sleeps', 'hrv'],
  );
  t.same(await entries(wearer.connection_id), [{ details: { provider: 'devicemaker', days: 2 } }]);
});

t.test('types that the provider has not are refused', async (t) => {
  const wearer = await on.wearer();
  const start = (given: object) => on.call('backfill.start', { ...link(wearer), ...given });
  for (const types of [[], ['steps'], ['sleeps', 'steps']])
    await t.rejects(start({ types }), refusal('VALIDATION_FAILED'), types.join());
  await t.rejects(start({ provider: 'oura', types: ['sleeps'] }), refusal('VALIDATION_FAILED'));
});

t.test('spans are requested once per id, with their types in the entry', async (t) => {
  const wearer = await on.wearer();
  const asked = () => on.provider.asked.filter(({ token }) => token === wearer.token);
  const untilAsked = (times: number) => until(() => asked().length === times, `${times} requests`);
  const endMs = Math.floor(Date.now() / 1000) * 1000;
  const span = (type: string, daysAgo: number) => ({
    ...{ type, start_ms: endMs - daysAgo * dayMs, end_ms: endMs - (daysAgo - 1) * dayMs },
  });
  const given = {
    ...{ id: randomUUID(), ...link(wearer) },
    requests: [span('sleeps', 2), span('sleeps', 5), span('epochs', 3)],
  };
  t.same(await on.call('backfill.request', given), { requests: 2 });
  await untilAsked(1);
  t.same(await on.call('backfill.request', given), { requests: 2 }, 'while it runs');
  await t.rejects(on.call('backfill.request', { ...given, id: randomUUID() }), refusal('BACKFILL_RUNNING'));
  await until(async () => {
    await on.turnClock();
    return asked().length === 2;
  }, 'the second request');
  const seconds = asked().map(({ type, from, to }) => [type, endMs / 1000 - from, to - from]);
  t.same(seconds, [
    ['sleeps', (2 * dayMs) / 1000, dayMs / 1000],
    ['sleeps', (5 * dayMs) / 1000, dayMs / 1000],
  ]);
  t.same(await entries(wearer.connection_id), [{ details: { provider: 'devicemaker', types: ['sleeps'] } }]);
  const none = { ...given, id: randomUUID(), requests: [span('epochs', 3)] };
  t.same(await on.call('backfill.request', none), { requests: 0 });
});

t.test('a backfill of a user is claimed before repairs that wait for longer', async (t) => {
  const database = await freshDatabase(t);
  const range = { startMs: Date.now() - dayMs, endMs: Date.now() };
  const insert = async (lane: number) => {
    const ids = { connectionId: randomUUID(), userId: randomUUID() };
    const run = { ...ids, connectedAt: '2026-01-01T00:00:00.000Z', provider: 'devicemaker' as const };
    await insertRun(database, { ...run, range, lane, steps: [{ type: 'sleeps', ...range }] });
    return ids.connectionId;
  };
  const [repair, user] = [await insert(10), await insert(0)];
  const claimed = async () =>
    (await claimRuns(database, ['devicemaker'], 1, 1000)).map(({ connection_id }) => connection_id);
  t.same([await claimed(), await claimed()], [[user], [repair]]);
});
