import t from 'tap';
import { refusal } from '../../support/refusal.ts';
import { until } from '../../support/until.ts';
import {
  deletions,
  ended,
  fetchAll,
  full,
  hourMs,
  keysOf,
  nowOf,
  place,
  reads,
  reconcile,
  reconciliations,
  rowOf,
} from './reconciling.ts';
import { dayMs, quarterMs, setUp, turnOn } from './setting.ts';

t.setTimeout(400_000);

const all = { start_date: '2020-01-01', end_date: '2100-01-01' };

t.test('a listed and unknown activity is fetched; it is no backfill', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 50);
  place(s, '2', 40);
  place(s, '3', 9 * 24);
  await fetchAll(s, account, ['1']);
  await reconcile(s, user_id);
  await ended(s);
  t.same(await keysOf(s), ['1', '2'], 'of the span, not the one before it');
  // Another worker may fetch the activity between the two pages, and on a busy machine a page is read again.
  const pages = s.provider.asked.filter(({ path }) => path.endsWith('/athlete/activities'));
  t.same([...new Set(pages.map(({ query }) => query.get('page')))], ['1', '2']);
  t.same(
    reads(s).filter((path) => path !== '/athlete/activities'),
    ['/activities/2'],
  );
  const page = await s.call('timeseries.workouts', { user_id, ...all });
  t.ok(page.data.every(({ calories_kcal }) => calories_kcal === 722.4));
  t.same(await s.database.query("select from changes.pending where kind = 'backfill'"), []);
  const status = s.call('activitynet-ingest.backfillStatus', { user_id });
  await t.rejects(status, refusal('BACKFILL_NOT_FOUND'));
});

t.test('a backfill goes on beside it, and is shown as it was', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id } = await s.person(undefined, full);
  for (const id of ['1', '2']) place(s, id, 60);
  const status = () => s.call('activitynet-ingest.backfillStatus', { user_id });
  const start = () =>
    s.call('activitynet-ingest.startBackfill', {
      ...{ user_id, start_ms: Math.floor(nowOf(s) - 9 * dayMs), end_ms: Math.floor(nowOf(s)) },
    });
  await start();
  await until(async () => (await status()).status === 'done');
  const before = await status();
  s.provider.ahead += 2 * hourMs;
  s.provider.activities.delete('1');
  await reconcile(s, user_id);
  await ended(s);
  t.same(await keysOf(s), ['2']);
  t.same(await status(), before);
  await s.database.query("update activitynet.budget set paused_until = 'infinity'");
  const { id } = await start();
  await reconcile(s, user_id);
  t.match(await status(), { id, status: 'running' });
  await s.database.query('update activitynet.budget set paused_until = null');
  await ended(s);
  await until(async () => (await status()).status === 'done');
  t.match(await status(), { id, types: [{ items: 1, saved: 1 }] });
});

t.test('a stored activity that is neither listed nor found is deleted once', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  for (const id of ['1', '2']) place(s, id, 60);
  await fetchAll(s, account, ['1', '2']);
  s.provider.activities.delete('1');
  for (let nights = 0; nights < 2; nights += 1) {
    await reconcile(s, user_id);
    await ended(s);
  }
  t.same(await keysOf(s), ['2']);
  t.equal(await deletions(s), 1);
  const changed = "select action from changes.pending where kind = 'workout'";
  t.same(await s.database.query(changed), [{ action: 'deleted' }]);
  t.equal(reads(s).filter((path) => path === '/activities/1').length, 1);
  const event_time = Math.floor(nowOf(s) / 1000) - 600;
  // An event from before the read changes nothing. A later list shows an activity that exists again.
  place(s, '1', 60);
  await s.send({ owner_id: Number(account), object_id: 1, aspect_type: 'update', event_time });
  await s.settled();
  t.same(await keysOf(s), ['2']);
  s.provider.ahead += 2 * hourMs;
  await reconcile(s, user_id);
  await ended(s);
  t.same(await keysOf(s), ['1', '2']);
});

t.test('a stored activity that is not listed but readable is kept', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 60);
  await fetchAll(s, account, ['1']);
  s.provider.unlisted.add('1');
  await reconcile(s, user_id);
  await ended(s);
  t.same(reads(s), ['/athlete/activities', '/activities/1']);
  t.same(await keysOf(s), ['1']);
  t.equal(await deletions(s), 0);
});

t.test('only 404 confirms a deletion', async (t) => {
  for (const status of [403, 401, 410]) {
    const s = await setUp(t, { bus: false });
    const { id: user_id, account } = await s.person(undefined, full);
    place(s, '1', 60);
    await fetchAll(s, account, ['1']);
    s.provider.unlisted.add('1');
    const body = { errors: [{ field: 'activity:read_permission', code: 'missing' }] };
    s.provider.fault = (path) => (path.endsWith('/activities/1') ? { status, body } : null);
    await reconcile(s, user_id);
    await ended(s);
    t.same(await keysOf(s), ['1'], `${status}`);
  }
});

t.test('an event that arrives while the check waits makes it an ordinary fetch', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 60);
  await fetchAll(s, account, ['1']);
  s.provider.activities.delete('1');
  let open = () => {};
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  s.provider.fault = (path) => (path.endsWith('/activities/1') ? { until: held } : null);
  await reconcile(s, user_id);
  await until(async () => (await rowOf(s, '1'))?.leased === true);
  const update = { object_id: 1, aspect_type: 'update', event_time: 1_776_520_009 };
  await s.send({ owner_id: Number(account), ...update });
  await s.database.query(
    'update activitynet.activity set attempt = attempt + 1, leased = false, run_at = now()',
  );
  open();
  await ended(s);
  t.same(await keysOf(s), ['1']);
});

t.test('an activity at the edge of the span or of the last hour is not read', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 7 * 24 - 20);
  place(s, '2', 7 * 24 + 20);
  await fetchAll(s, account, ['1', '2']);
  place(s, '3', 40);
  await s.send({ owner_id: Number(account), object_id: 3 });
  await s.settled();
  s.provider.asked.length = 0;
  s.provider.activities.clear();
  await reconcile(s, user_id);
  await ended(s);
  t.same(reads(s), ['/athlete/activities']);
  t.same(await keysOf(s), ['1', '2', '3']);
});

t.test('a page that failed, is unreadable or is missing deletes nothing', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 60);
  await fetchAll(s, account, ['1']);
  s.provider.activities.delete('1');
  const faults = [
    { status: 200, body: { message: 'no list' } },
    500,
    { status: 200, body: [{ id: 'x' }] },
  ] as const;
  for (const [n, fault] of faults.entries()) {
    s.provider.fault = (path) => (path.endsWith('/athlete/activities') ? fault : null);
    if (n === 0) await reconcile(s, user_id);
    await until(async () => (await reconciliations(s))[0]?.failures === n + 1);
    t.same(await rowOf(s, '1').then((row) => row?.work), null, JSON.stringify(fault));
    s.provider.ahead += quarterMs;
  }
  s.provider.fault = (path) => (path.endsWith('/athlete/activities') ? 403 : null);
  await ended(s);
  t.match(await reconciliations(s), [{ state: 'stopped', reason: 'NOT_ALLOWED' }]);
  t.same(await keysOf(s), ['1']);
  t.notOk(reads(s).includes('/activities/1'));
});

t.test('it fails with the thirtieth failure in a row, and the next call begins anew', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id } = await s.person(undefined, full);
  s.provider.fault = () => 500;
  await reconcile(s, user_id);
  await until(async () => (await reconciliations(s))[0]?.failures === 1);
  await s.database.query(
    "update activitynet.listing set failures = 29, listed = '{1}', run_at = now() + interval '1 minute'",
  );
  for (let turns = 0; turns < 2; turns += 1) turnOn(s, quarterMs);
  await ended(s);
  t.match(await reconciliations(s), [{ state: 'failed', failures: 30, reason: 'HTTP_500' }]);
  t.same((await reconciliations(s))[0]?.listed, []);
  s.provider.fault = null;
  turnOn(s, quarterMs);
  await reconcile(s, user_id);
  await ended(s);
  t.match(await reconciliations(s), [{ state: 'done', failures: 0, reason: null }]);
});

t.test('without the scope of private activities nothing is deleted', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, { scope: ['activity:read'] });
  for (const id of ['1', '2']) place(s, id, 60);
  await fetchAll(s, account, ['1']);
  s.provider.activities.delete('1');
  await reconcile(s, user_id);
  await ended(s);
  t.same(await keysOf(s), ['1', '2'], 'and what is unknown is fetched');
  t.notOk(reads(s).includes('/activities/1'));
  t.match(await reconciliations(s), [{ state: 'done', reason: 'SCOPE_MISSING' }]);
});

t.test('a scope that is withheld after the list deletes nothing', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  place(s, '1', 60);
  await fetchAll(s, account, ['1']);
  s.provider.activities.delete('1');
  let open = () => {};
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  s.provider.fault = (path) => (path.endsWith('/activities/1') ? { until: held } : null);
  await reconcile(s, user_id);
  await until(async () => (await rowOf(s, '1'))?.leased === true);
  await s.database.query("update users.connection set scope = '{activity:read}'");
  open();
  await ended(s);
  t.same(await keysOf(s), ['1']);
  t.match(await rowOf(s, '1'), { error: 'NOT_FOUND' });
});

t.test('activities of an earlier connection are not compared', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person(undefined, full);
  for (const id of ['1', '2']) place(s, id, 60);
  await fetchAll(s, account, ['1', '2']);
  s.provider.activities.clear();
  await s.database.query("update activitynet.budget set paused_until = 'infinity'");
  const update = { owner_id: Number(account), aspect_type: 'update', event_time: 1_776_520_009 };
  await s.send({ ...update, object_id: 2 });
  const anHourAgo = new Date(nowOf(s) - hourMs);
  await s.database.query('update users.connection set connected_at = $1', [anHourAgo]);
  await s.database.query('update activitynet.budget set paused_until = null');
  await s.settled();
  t.match(await rowOf(s, '2'), { error: 'NOT_FOUND' }, 'read by the new connection');
  s.provider.ahead += 2 * hourMs;
  s.provider.asked.length = 0;
  await reconcile(s, user_id);
  await ended(s);
  t.match(await reconciliations(s), [{ state: 'done', reason: null }]);
  t.same(reads(s), ['/athlete/activities']);
  t.same(await keysOf(s), ['1', '2']);
});
