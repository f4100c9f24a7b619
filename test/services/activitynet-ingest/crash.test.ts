import { spawn } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { run } from '../../fixtures/activitynet/activities.ts';
import { natsUrl } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import { deletions, full, keysOf, nowOf, place, reconciliations } from './reconciling.ts';
import { dayMs, fast, type Setting, setUp } from './setting.ts';

const secret = 'a secret of the tests with 32 characters and more';
const leaseMs = 3000;

/** Starts an ingest process that can be killed. */
function spawnIngest(s: Setting) {
  const settings = {
    DATABASE_URL: s.database.url,
    NATS_URL: natsUrl(),
    JWT_SECRET: secret,
    ENCRYPTION_KEY: secret,
    LOG_LEVEL: 'fatal',
    ...s.provider.settings,
  };
  const choice = {
    settings,
    pace: { ...fast, leaseMs },
    namespace: s.namespace,
    ahead: s.provider.ahead,
  };
  const file = join(import.meta.dirname, 'ingest-process.ts');
  return spawn(process.execPath, [file, JSON.stringify(choice)], { stdio: 'ignore' });
}

t.test('kill -9 while 200 fetches wait: all are made, none twice but those that it cut off', async (t) => {
  const s = await setUp(t, { processes: 0, settings: { ACTIVITYNET_READS_PER_15_MIN: '5000' } });
  s.provider.limits = { quarter: 5000, day: 10_000 };
  const { id } = await s.person('134815');
  const [{ id: connectionId } = { id: '' }] = await s.database.query('select id from users.connection');
  for (let n = 1; n <= 200; n += 1) {
    const start_date = new Date(Date.parse('2025-01-01T08:00:00Z') + n * 3_600_000).toISOString();
    const details = run(String(n), { start_date, elapsed_time: 1800, manual: true });
    s.provider.activities.set(String(n), { details });
  }
  await s.database.query(
    `insert into activitynet.activity (user_id, object_id, connection_id, create_time, work, turn)
     select $1, n, $2, n, 'fetch', n from generate_series(1, 200) n`,
    [id, connectionId],
  );
  const asked = () => s.provider.asked.length;
  const first = spawnIngest(s);
  t.teardown(() => first.kill('SIGKILL'));
  while (asked() < 60) await new Promise((resolve) => setTimeout(resolve, 5));
  const ended = new Promise((resolve) => first.once('exit', resolve));
  first.kill('SIGKILL');
  await ended;
  const waiting = (await s.rows()).filter(({ work }) => work !== null).length;
  t.ok(waiting > 50, `${waiting} wait`);
  const held = (await s.rows()).filter(({ leased }) => leased).map(({ object_id }) => object_id);
  const second = spawnIngest(s);
  t.teardown(() => second.kill('SIGKILL'));
  await s.settled();
  second.kill('SIGKILL');
  const stored = await s.database.query('select key from timeseries.workout');
  t.equal(stored.length, 200);
  const counts = Map.groupBy(s.provider.asked, ({ path }) => path.split('/').at(-1) ?? '');
  const twice = [...counts].filter(([, reads]) => reads.length > 1).map(([activity]) => activity);
  t.ok(twice.length <= (fast.parallel ?? 4), `${twice.length} were read twice`);
  t.ok(
    twice.every((activity) => held.includes(activity)),
    'only what the killed process held',
  );
});

t.test('kill -9 in the middle of a reconciliation: another process ends it, once', async (t) => {
  const s = await setUp(t, { processes: 0, settings: {} });
  const { id: user_id, account } = await s.person('134815', full);
  for (const id of ['1', '2', '3']) place(s, id, 60);
  const first = spawnIngest(s);
  t.teardown(() => first.kill('SIGKILL'));
  const [{ id: connectionId } = { id: '' }] = await s.database.query('select id from users.connection');
  await s.database.query(
    `insert into activitynet.activity (user_id, object_id, connection_id, create_time, work, turn)
     select $1, n, $2, n, 'fetch', n from generate_series(1, 2) n`,
    [user_id, connectionId],
  );
  await s.settled();
  await s.database.query("update activitynet.activity set fetched_at = fetched_at - interval '2 hours'");
  await s.database.query("update users.connection set connected_at = connected_at - interval '1 day'");
  s.provider.activities.delete('1');
  s.provider.asked.length = 0;
  const isPage = (path: string) => path.endsWith('/athlete/activities');
  const pages = () => s.provider.asked.filter(({ path }) => isPage(path)).length;
  let isHung = false;
  s.provider.fault = (path) => {
    if (!isPage(path) || pages() === 0 || isHung) return null;
    isHung = true;
    return { until: new Promise(() => {}) };
  };
  await s.call('activitynet-ingest.reconcile', { user_id, start_ms: Math.floor(nowOf(s) - 7 * dayMs) });
  await until(() => isHung);
  const ended = new Promise((resolve) => first.once('exit', resolve));
  first.kill('SIGKILL');
  await ended;
  t.match(await reconciliations(s), [{ state: 'listing', pages: 1, leased: true }], account);
  const second = spawnIngest(s);
  t.teardown(() => second.kill('SIGKILL'));
  await until(async () => (await reconciliations(s))[0]?.state === 'done');
  await s.settled();
  second.kill('SIGKILL');
  t.same(await keysOf(s), ['2', '3']);
  t.equal(await deletions(s), 1);
  t.equal(pages(), 2, 'the page that was recorded is not read again');
});

t.test('what kills its process each time is given up after a few claims', async (t) => {
  const s = await setUp(t, { processes: 0, settings: {} });
  const { id } = await s.person('134815');
  const [{ id: connectionId } = { id: '' }] = await s.database.query('select id from users.connection');
  await s.database.query(
    `insert into activitynet.activity (user_id, object_id, connection_id, create_time, work, turn, crashes, leased, run_at)
     values ($1, 1, $2, 1, 'fetch', 1, 5, true, now() - interval '1 second'),
       ($1, 2, $2, 1, 'fetch', 2, 4, true, now() - interval '1 second')`,
    [id, connectionId],
  );
  await s.database.query(
    `with run as (
       insert into activitynet.listing (purpose, connection_id, user_id, start_time, end_time, state)
       values ('backfill', $1, $2, now(), now(), 'fetching') returning id)
     update activitynet.activity set history_id = run.id from run where object_id = 1`,
    [connectionId, id],
  );
  await s.startIngest();
  await s.settled();
  t.match(await s.rows(), [
    { work: null, error: 'CRASHED', attempt: 1, leased: false },
    { work: null, error: 'NOT_FOUND', attempt: 1, leased: false },
  ]);
  t.match(await s.call('activitynet-ingest.figures', {}), { given_up: 1 });
  t.notOk(
    s.provider.asked.some(({ path }) => path.endsWith('/activities/1')),
    'it is not fetched',
  );
  await until(
    async () => (await s.call('activitynet-ingest.backfillStatus', { user_id: id })).status === 'done',
  );
});

t.test('an outcome of a holder that lost its lease changes nothing', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id, account } = await s.person();
  s.provider.activities.set('1', { details: run('1', { manual: true }) });
  s.provider.fault = () => ({ delayMs: 600 });
  await s.send({ owner_id: Number(account), object_id: 1, event_time: 100 });
  while (s.provider.asked.length === 0 && !(await s.rows())[0]?.leased)
    await new Promise((resolve) => setTimeout(resolve, 5));
  await s.database.query(
    'update activitynet.activity set attempt = attempt + 1, work = null, leased = false',
  );
  await new Promise((resolve) => setTimeout(resolve, 1200));
  t.match(await s.rows(), [{ work: null, attempt: 2 }]);
  const year = { start_date: '2026-01-01', end_date: '2027-01-01' };
  t.same((await s.call('timeseries.workouts', { user_id: id, ...year })).data, []);
});
