import t from 'tap';
import { run } from '../../fixtures/activitynet/activities.ts';
import { refusal } from '../../support/refusal.ts';
import { dayMs, fast, idle, quarterMs, type Setting, setUp, turnOn } from './setting.ts';

const startMs = Date.parse('2025-06-01T00:00:00Z');
const all = { start_date: '2025-01-01', end_date: '2027-01-01' };

function fill(s: Setting, count: number, changes: Record<string, unknown> = {}): void {
  for (let n = 0; n < count; n += 1) {
    const id = String(18_000_000_000 + n);
    const start_date = new Date(startMs + n * 8 * 3_600_000).toISOString();
    const details = run(id, { start_date, elapsed_time: 1800, moving_time: 1700, ...changes });
    s.provider.activities.set(id, { details, streams: { time: { data: [0] }, heartrate: { data: [88] } } });
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 10));

/** Lets quarter hours pass until the backfill of a user is done, twelve at most. */
async function untilDone(s: Setting, user_id: string): Promise<void> {
  const isDone = async () =>
    (await s.call('activitynet-ingest.backfillStatus', { user_id })).status === 'done';
  for (let quarters = 0; !(await isDone()); quarters += 1) {
    if (quarters === 12) throw new Error('the backfill is not done after twelve quarter hours');
    turnOn(s, quarterMs);
    await idle(s);
  }
}

const span = { start_ms: startMs, end_ms: startMs + 365 * dayMs };
const manyReads = { ACTIVITYNET_READS_PER_15_MIN: '4000', ACTIVITYNET_READS_PER_DAY: '9000' };

t.test(
  'lists page by page, stores what the list tells at once, and completes it by the details',
  async (t) => {
    const s = await setUp(t, { processes: 2, settings: manyReads });
    s.provider.limits = { quarter: 4000, day: 9000 };
    const { id: user_id } = await s.person();
    fill(s, 120);
    s.provider.activities.set('1', { details: run('1', { start_date: '2025-05-31T23:59:59Z' }) });
    const begun = await s.call('activitynet-ingest.startBackfill', { user_id, ...span });
    t.match(begun, {
      user_id,
      provider: 'activitynet',
      status: 'running',
      start_time: '2025-06-01T00:00:00Z',
      types: [{ type: 'activities', status: 'waiting', items: 0 }],
    });
    const again = s.call('activitynet-ingest.startBackfill', { user_id, ...span });
    await t.rejects(again, refusal('BACKFILL_RUNNING'));
    const status = () => s.call('activitynet-ingest.backfillStatus', { user_id });
    while ((await status()).status === 'running') await new Promise((resolve) => setTimeout(resolve, 20));
    t.match(await status(), {
      id: begun.id,
      status: 'done',
      reason: null,
      types: [{ status: 'received', items: 120, saved: 120, requests: 123, requests_done: 123 }],
    });
    const lists = s.provider.asked.filter(({ path }) => path.endsWith('/athlete/activities'));
    t.same(
      lists.map(({ query }) => Object.fromEntries(query)),
      ['1', '2', '3'].map((page) => ({ page, per_page: '100', after: '1748735999', before: '1780272000' })),
    );
    t.equal(s.provider.asked.length, 3 + 2 * 120);
    const page = await s.call('timeseries.workouts', { user_id, ...all, limit: 100 });
    t.equal(page.pagination.total_count, 120);
    t.ok(
      page.data.every(({ calories_kcal, source }) => calories_kcal === 722.4 && source.device !== 'unknown'),
    );
    const samples = { user_id, start_time: '2025-01-01', end_time: '2027-01-01' };
    t.equal((await s.call('timeseries.samples', samples)).pagination.total_count, 120);
  },
);

t.test(
  'all of a list is there after its pages; the newest details come first, in the share of history',
  async (t) => {
    const s = await setUp(t, { bus: false });
    const { id: user_id } = await s.person();
    fill(s, 110);
    await s.call('activitynet-ingest.startBackfill', { user_id, ...span });
    await idle(s);
    t.ok(s.provider.asked.length <= 50, 'half of the quarter hour at most');
    const listed = await s.call('timeseries.workouts', { user_id, ...all, limit: 100 });
    t.equal(listed.pagination.total_count, 110, 'after three reads of the list');
    t.equal(listed.data[0]?.calories_kcal, 722.4, 'the newest has its details');
    t.equal(listed.data.at(-1)?.calories_kcal, null);
    const { types } = await s.call('activitynet-ingest.backfillStatus', { user_id });
    t.match(types, [{ status: 'requested', items: 110 }]);
    await untilDone(s, user_id);
    t.ok(s.provider.most().quarter <= 50);
  },
);

t.test('a run that is cancelled asks nothing more, and another may begin', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id } = await s.person();
  fill(s, 60);
  await s.call('activitynet-ingest.startBackfill', { user_id, ...span });
  await idle(s);
  const asked = s.provider.asked.length;
  t.match(await s.call('activitynet-ingest.cancelBackfill', { user_id }), { status: 'cancelled' });
  turnOn(s, quarterMs);
  await idle(s);
  t.equal(s.provider.asked.length, asked);
  t.match(await s.call('activitynet-ingest.cancelBackfill', { user_id }), { status: 'cancelled' });
  const fetched = (await s.rows()).filter(({ error }) => error === null).length;
  await s.call('activitynet-ingest.startBackfill', { user_id, ...span });
  await untilDone(s, user_id);
  const details = s.provider.asked.filter(({ path }) => /activities\/\d+$/.test(path));
  t.equal(details.length, 60, `the ${fetched} that are known are not read again`);
});

t.test('it goes on where it was when its process is gone', async (t) => {
  const s = await setUp(t, { processes: 1, settings: manyReads, pace: { ...fast, leaseMs: 2000 } });
  s.provider.limits = { quarter: 4000, day: 9000 };
  const { id: user_id } = await s.person();
  fill(s, 120, { manual: true });
  s.provider.fault = (path) => (path.endsWith('/athlete/activities') ? null : { delayMs: 30 });
  await s.call('activitynet-ingest.startBackfill', { user_id, ...span });
  while (s.provider.asked.length < 30) await new Promise((resolve) => setTimeout(resolve, 5));
  await s.database.query(`update activitynet.listing set attempt = attempt + 1 where state = 'listing'`);
  await s.database.query(`update activitynet.activity set attempt = attempt + 1 where leased`);
  s.provider.fault = null;
  s.provider.ahead += 5000;
  const status = () => s.call('activitynet-ingest.backfillStatus', { user_id });
  while ((await status()).status === 'running') await new Promise((resolve) => setTimeout(resolve, 20));
  t.match(await status(), { status: 'done', types: [{ items: 120, saved: 120 }] });
  t.equal((await s.call('timeseries.workouts', { user_id, ...all })).pagination.total_count, 120);
});

t.test('an activity that was deleted while it was listed does not come back', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id, account } = await s.person();
  fill(s, 3);
  const deletion = { owner_id: Number(account), object_id: 18_000_000_001, aspect_type: 'delete' };
  await s.send({ ...deletion, event_time: Math.floor(Date.now() / 1000) + 100 });
  await s.call('activitynet-ingest.startBackfill', { user_id, ...span });
  await idle(s);
  t.equal((await s.call('timeseries.workouts', { user_id, ...all })).pagination.total_count, 2);
});

t.test('the end of the connection stops it, with the reason', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id } = await s.person();
  fill(s, 60);
  await s.call('activitynet-ingest.startBackfill', { user_id, ...span });
  await idle(s);
  await s.call('users.disconnect', { user_id, provider: 'activitynet' });
  await s.settled();
  t.match(await s.call('activitynet-ingest.backfillStatus', { user_id }), {
    status: 'stopped',
    reason: 'The connection to the provider has ended.',
  });
  const asked = s.provider.asked.length;
  turnOn(s, quarterMs);
  await idle(s);
  t.equal(s.provider.asked.length, asked);
});

t.test('it fails with the thirtieth failure in a row of its list, and not before', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id } = await s.person();
  s.provider.fault = () => 500;
  const run = async () =>
    (await s.database.query('select state, failures, reason, finished_at from activitynet.listing'))[0];
  await s.call('activitynet-ingest.startBackfill', { user_id, ...span });
  while ((await run())?.failures !== 1) await pause();
  await s.database.query(
    "update activitynet.listing set failures = 28, run_at = run_at + interval '1 minute'",
  );
  // Two of each: the end of the first may be nearer than the pause.
  for (let turns = 0; turns < 2; turns += 1) turnOn(s, quarterMs);
  while ((await run())?.failures === 28) await pause();
  t.match(await run(), { state: 'listing', failures: 29, finished_at: null });
  for (let turns = 0; turns < 2; turns += 1) turnOn(s, dayMs);
  while ((await run())?.failures === 29) await pause();
  t.match(await run(), { state: 'failed', failures: 30, reason: 'HTTP_500', finished_at: Date });
});

t.test('it begins with a connection that is there, is active, and has a token', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id: user_id } = await s.call('users.create', {});
  const start = (user: string) => s.call('activitynet-ingest.startBackfill', { user_id: user, ...span });
  await t.rejects(start('00000000-0000-4000-8000-000000000000'), refusal('USER_NOT_FOUND'));
  await t.rejects(start(user_id), refusal('CONNECTION_NOT_FOUND'));
  await s.call('users.connect', { user_id, provider: 'activitynet', provider_user_id: 'p' });
  await t.rejects(start(user_id), refusal('CONNECTION_WITHOUT_TOKEN'));
  await t.rejects(s.call('activitynet-ingest.backfillStatus', { user_id }), refusal('BACKFILL_NOT_FOUND'));
  await s.call('users.disconnect', { user_id, provider: 'activitynet' });
  await t.rejects(start(user_id), refusal('CONNECTION_INACTIVE'));
});
