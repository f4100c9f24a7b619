import t from 'tap';
import { run, streams } from '../../fixtures/activitynet/activities.ts';
import { until } from '../../support/until.ts';
import {
  deletions,
  ended,
  fetchAll,
  full,
  holdReads,
  hourMs,
  keysOf,
  manyReads,
  nowOf,
  place,
  reads,
  reconcile,
  reconciliations,
  rowOf,
} from './reconciling.ts';
import { fast, quarterMs, setUp, turnOn } from './setting.ts';

t.setTimeout(400_000);

t.test('a fetch that began before the connection belongs to the earlier one', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 60);
  const read = holdReads(s, '/activities/1');
  await s.send({ owner_id: Number(account), object_id: 1 });
  await read.begun();
  await s.database.query('update users.connection set connected_at = $1', [new Date(nowOf(s))]);
  read.open();
  await s.settled();
  s.provider.ahead += 2 * hourMs;
  s.provider.asked.length = 0;
  s.provider.activities.delete('1');
  await reconcile(s, user_id);
  await ended(s);
  t.same(reads(s), ['/athlete/activities']);
  t.same(await keysOf(s), ['1']);
});

t.test('a scope that is withheld before the read and granted after it deletes nothing', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 60);
  await fetchAll(s, account, ['1']);
  s.provider.activities.delete('1');
  s.provider.fault = (path) => (path.endsWith('/activities/1') ? 500 : null);
  await reconcile(s, user_id);
  await until(async () => (await rowOf(s, '1'))?.failures === 1);
  await s.database.query("update users.connection set scope = '{activity:read}'");
  const read = holdReads(s, '/activities/1');
  turnOn(s, quarterMs);
  await read.begun();
  await s.database.query("update users.connection set scope = '{read,activity:read_all}'");
  read.open();
  await ended(s);
  t.same(await keysOf(s), ['1']);
  t.match(await rowOf(s, '1'), { error: 'NOT_FOUND' });
  t.equal(await deletions(s), 0);
});

t.test(
  'of more unlisted activities than one reconciliation reads, the others are read by the next',
  async (t) => {
    const s = await setUp(t, { bus: false, settings: manyReads });
    s.provider.limits = { quarter: 4000, day: 9000 };
    const { id: user_id } = await s.person(undefined, full);
    const ids = Array.from({ length: 101 }, (_, n) => String(1000 + n));
    // The last one is the newest.
    for (const [n, id] of ids.entries()) place(s, id, 100 - n / 10);
    const checks = async () => {
      s.provider.ahead += 2 * hourMs;
      s.provider.asked.length = 0;
      await reconcile(s, user_id);
      await ended(s);
      return reads(s).filter((path) => path.startsWith('/activities/'));
    };
    t.equal((await checks()).length, 101, 'fetched');
    for (const id of ids) s.provider.unlisted.add(id);
    s.provider.fault = (path) => (path.includes('/activities/') ? 403 : null);
    const nights = [await checks(), await checks()];
    t.same(
      nights.map(({ length }) => length),
      [100, 100],
    );
    t.equal(new Set(nights.flat()).size, 101);
    // Those of an earlier connection do not count.
    await s.database.query(
      "update activitynet.activity set fetched_at = '2020-01-01' where object_id < 1100",
    );
    s.provider.fault = null;
    s.provider.activities.clear();
    t.same(await checks(), ['/activities/1100']);
    t.equal((await keysOf(s)).length, 100);
  },
);

t.test('an error of another service is a failure of the page, which is read again later', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 60);
  await fetchAll(s, account, ['1']);
  s.provider.activities.delete('1');
  await s.database.query('alter table timeseries.workout rename to away');
  const requestedMs = nowOf(s);
  await reconcile(s, user_id);
  await until(async () => ((await reconciliations(s))[0]?.failures ?? 0) > 0);
  const [failed] = await reconciliations(s);
  t.match(failed, { state: 'listing', reason: 'INTERNAL' });
  t.ok(failed !== undefined && failed.run_at.getTime() >= requestedMs + 2000, 'after a delay');
  await s.database.query('alter table timeseries.away rename to workout');
  turnOn(s, quarterMs);
  await ended(s);
  t.match(await reconciliations(s), [{ state: 'done', failures: 0 }]);
  t.same(await keysOf(s), []);
});

t.test('an activity that exists again after a deletion that was not recorded has its samples', async (t) => {
  const s = await setUp(t, { bus: false, pace: { ...fast, leaseMs: 2000 } });
  const { id: user_id, account } = await s.person(undefined, full);
  const start_date = new Date(nowOf(s) - 60 * hourMs).toISOString();
  const details = run('1', { start_date, elapsed_time: 60, moving_time: 60 });
  s.provider.activities.set('1', { details, streams: streams(60, { heartrate: () => 150 }) });
  await fetchAll(s, account, ['1']);
  const samples = async () => (await s.database.query('select from timeseries.sample')).length;
  const stored = await samples();
  t.ok(stored > 0);
  const [activity] = s.provider.activities.values();
  s.provider.activities.clear();
  // As if the process were killed between the deletion and its record.
  await s.database.query(
    'alter table activitynet.activity add constraint unrecorded check (delete_time is null) not valid',
  );
  await reconcile(s, user_id);
  await until(async () => (await deletions(s)) === 1);
  if (activity !== undefined) s.provider.activities.set('1', activity);
  s.provider.ahead += 5000;
  await ended(s);
  t.same(await keysOf(s), ['1']);
  t.equal(await samples(), stored);
});
