import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { run, streams } from '../../fixtures/activitynet/activities.ts';
import { natsUrl } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import type { Fault } from './provider.ts';
import { event, fast, idle, type Setting, setUp } from './setting.ts';

t.jobs = 3; // the tests mostly wait, each on a database of its own

const year = { start_date: '2026-01-01', end_date: '2027-01-01' };
const range = { start_time: '2026-01-01', end_time: '2027-01-01' };
const now = () => Math.floor(Date.now() / 1000);

/** What is seen of a user: names of workouts, values of samples, days with activity. */
async function seen(s: Setting, user_id: string) {
  const { data: workouts } = await s.call('timeseries.workouts', { user_id, ...year });
  const { data: samples } = await s.call('timeseries.samples', { user_id, ...range, limit: 100 });
  const { days } = await s.call('timeseries.activityDays', {
    ...{ user_id, first_date: '2026-01-01', last_date: '2026-12-31' },
    ...{ after: null, order: 'asc', limit: 401 },
  });
  return { workouts, values: samples.map(({ value }) => value), days: days.length };
}

const nothing = { workouts: [], values: [], days: 0 };

/** A user with one activity that is fetched, by id. */
async function withActivity(s: Setting, id = '18000000001', changes = {}) {
  const { id: user, account } = await s.person();
  const heart = streams(3, { heartrate: (n) => 100 + n });
  s.provider.activities.set(id, { details: run(id, changes), streams: heart });
  const send = (aspect_type: string, fields = {}, authenticated = false) =>
    s.send(
      { owner_id: Number(account), object_id: Number(id), aspect_type, event_time: now(), ...fields },
      {},
      authenticated,
    );
  await send('create', { event_time: now() - 100 });
  await s.settled();
  return { user, account, id, send, seen: () => seen(s, user) };
}

/** Reads that were asked of the provider since a moment. */
const readsSince = (s: Setting, before: number) => s.provider.asked.slice(before).map(({ path }) => path);

const pauseReads = (s: Setting) =>
  s.database.query(`update activitynet.budget set paused_until = 'infinity'`);
const resumeReads = (s: Setting) => s.database.query('update activitynet.budget set paused_until = null');

async function audited(s: Setting, user: string) {
  const rows = await s.database.query<{ action: string; actor: string; details: { samples: number } }>(
    `select action, actor, details from auth.audit_entry where user_id = $1 and action like 'activity.%' order by id`,
    [user],
  );
  return rows.map(({ action, actor, details }) => [action, actor, details.samples]);
}

for (const how of ['mark', 'remove'])
  t.test(
    `${how}: a forged deletion hides an activity at once, and a read brings it back`,
    { buffered: true },
    async (t) => {
      const s = await setUp(t, { settings: { EVENT_DELETE: how }, processes: 2 });
      const a = await withActivity(s);
      const before = await a.seen();
      t.equal(before.values.length, 3);
      await pauseReads(s);
      t.match(await a.send('delete'), { status: 'processed' });
      await until(async () => (await a.seen()).workouts.length === 0);
      t.same(await a.seen(), nothing, 'no list, no series, no day');
      const asked = s.provider.asked.length;
      await resumeReads(s);
      await s.settled();
      t.same(readsSince(s, asked), [`/api/v3/activities/${a.id}`], 'one read, and no streams');
      t.same(await a.seen(), before);
      t.same(await audited(s, a.user), [
        ['activity.hidden', 'webhook:activitynet', 3],
        ['activity.restored', 'webhook:activitynet', 0],
      ]);
      await a.send('update', { event_time: now() - 50 });
      await s.settled();
      t.same(await a.seen(), before, 'and it outdates no event that follows');
    },
  );

const confirmations: readonly (readonly [name: string, fault: Fault])[] = [
  ['404', 404],
  ['403', 403],
  ['401', 401],
  [
    '401 of a read that its owner withholds',
    { status: 401, body: { errors: [{ field: 'activity:read_permission', code: 'missing' }] } },
  ],
];
for (const [name, fault] of confirmations)
  t.test(`a read that answers ${name} confirms a deletion`, { buffered: true }, async (t) => {
    const s = await setUp(t, { bus: false });
    const a = await withActivity(s);
    s.provider.fault = (path) => (path.includes(a.id) ? fault : null);
    await a.send('delete', { event_time: now() - 5 });
    await s.settled();
    t.same(await a.seen(), nothing);
    t.same(await s.database.query('select id from timeseries.activity_block'), []);
    t.match(await s.database.query('select name, distance_meters from timeseries.workout'), [
      { name: '', distance_meters: null },
    ]);
    t.match(await audited(s, a.user), [['activity.hidden'], ['activity.deleted']]);
    t.match(await s.rows(), [{ work: null, unconfirmed: false, streams_for: null }]);
    s.provider.fault = null;
    await a.send('create', { event_time: now() });
    await s.settled();
    if (fault !== 401) t.equal((await a.seen()).values.length, 3, 'created anew it is stored whole');
  });

const outages: readonly (readonly [name: string, fault: Fault])[] = [
  ['answers 500', 500],
  ['cuts connections', 'cut'],
  ['answers too slowly', { delayMs: 5000 }],
];
for (const [name, fault] of outages)
  t.test(
    `while the provider ${name} the activity stays hidden, and is asked about until it answers`,
    { buffered: true },
    async (t) => {
      const s = await setUp(t, { bus: false, pace: { timeoutMs: 150 } });
      const a = await withActivity(s);
      const before = await a.seen();
      s.provider.fault = () => fault;
      await a.send('delete');
      for (let hours = 0; hours < 40; hours += 1) {
        await idle(s);
        s.provider.ahead += 3_600_000;
      }
      t.same(await a.seen(), nothing);
      t.match(await s.rows(), [{ work: 'fetch', unconfirmed: true }], 'it is never given up');
      s.provider.fault = null;
      while ((await s.rows()).some(({ work }) => work !== null)) {
        s.provider.ahead += 1_800_000;
        await idle(s);
      }
      t.same(await a.seen(), before);
    },
  );

t.test(
  'a deletion from the secret address, or with a signature, needs no read',
  { buffered: true },
  async (t) => {
    const s = await setUp(t, { bus: false });
    for (const way of ['secret address', 'signature']) {
      const a = await withActivity(s, `1800000000${way.length}`);
      const asked = s.provider.asked.length;
      const fields = {
        owner_id: Number(a.account),
        object_id: Number(a.id),
        aspect_type: 'delete',
        event_time: now(),
      };
      const body = JSON.stringify(event(fields));
      const digest = createHmac('sha256', 'the client secret').update(`${now()}.${body}`).digest('hex');
      if (way === 'signature') await s.deliver(body, { 'x-strava-signature': `t=${now()},v1=${digest}` });
      else await s.deliver(body, {}, true);
      await s.settled();
      t.same(await a.seen(), nothing, way);
      t.same(readsSince(s, asked), []);
      t.match(await audited(s, a.user), [['activity.deleted', 'webhook:activitynet', 3]]);
      await a.send('delete');
      await idle(s);
      t.same(readsSince(s, asked), [], 'what is deleted costs no read');
    }
  },
);

t.test(
  'of an activity that nobody told of nothing is hidden, kept or read',
  { buffered: true },
  async (t) => {
    const s = await setUp(t, { bus: false });
    const a = await withActivity(s);
    const asked = s.provider.asked.length;
    for (let object_id = 1; object_id <= 50; object_id += 1)
      t.match(await a.send('delete', { object_id }), { status: 'processed' });
    await idle(s);
    t.same(readsSince(s, asked), []);
    t.equal((await s.rows()).length, 1);
  },
);

t.test(
  'a forged deletion keeps no activity out that is being fetched, or comes later',
  { buffered: true },
  async (t) => {
    const s = await setUp(t, { bus: false });
    const { id, account } = await s.person();
    const about = { owner_id: Number(account), event_time: now() };
    for (const n of [1, 2])
      s.provider.activities.set(String(n), {
        details: run(String(n), { manual: true, start_date: `2026-02-0${n}T08:00:00Z` }),
      });
    await pauseReads(s);
    await s.send({ ...about, object_id: 1, event_time: now() - 50 });
    await s.send({ ...about, object_id: 1, aspect_type: 'delete' });
    await s.send({ ...about, object_id: 2, aspect_type: 'delete', event_time: now() + 200 });
    await s.send({ ...about, object_id: 2 });
    await idle(s);
    await resumeReads(s);
    await s.settled();
    t.equal((await seen(s, id)).workouts.length, 2);
  },
);

t.test('a forged update keeps no deletion out', { buffered: true }, async (t) => {
  const s = await setUp(t, { bus: false });
  s.provider.ahead = 0; // whether a read saw what an event tells is decided by its time
  for (const [authenticated, id] of [
    [true, '18000000001'],
    [false, '18000000002'],
  ] as const) {
    const a = await withActivity(s, id);
    await a.send('update', { event_time: now() + 250 });
    await s.settled();
    s.provider.activities.delete(id);
    await a.send('delete', { event_time: now() - 3 }, authenticated);
    await s.settled();
    t.same(await a.seen(), nothing, authenticated ? 'authenticated' : 'on the plain address');
  }
});

t.test('a forged create holds up no authenticated deletion', { buffered: true }, async (t) => {
  const s = await setUp(t, { bus: false });
  const a = await withActivity(s);
  s.provider.activities.delete(a.id);
  await s.database.query('update activitynet.owner_reads set fruitless = 1000, used = 1000');
  // Both come before the deletion is worked on.
  const hold = await s.database.pool.connect();
  await hold.query('begin');
  await hold.query('select pg_advisory_xact_lock(hashtextextended($1, 7357))', [a.user]);
  await a.send('delete', { event_time: now() - 3 }, true);
  await a.send('create', { event_time: now() });
  await hold.query('commit');
  hold.release();
  await until(async () => (await a.seen()).workouts.length === 0);
  await until(async () => (await s.rows())[0]?.leased === false);
  t.match(await s.rows(), [{ work: 'fetch', authenticated: false }], 'what the create asks for waits');
});

t.test('where nobody can be asked any more, the activity is shown again', { buffered: true }, async (t) => {
  const s = await setUp(t, { bus: false });
  const a = await withActivity(s);
  const before = await a.seen();
  await pauseReads(s);
  await a.send('delete');
  await until(async () => (await a.seen()).workouts.length === 0);
  await s.call('users.disconnect', { user_id: a.user, provider: 'activitynet' });
  await resumeReads(s);
  await s.settled();
  t.same(await a.seen(), before);
});

t.test(
  'an event more than five minutes ahead of our clock is refused and counted',
  { buffered: true },
  async (t) => {
    const s = await setUp(t, { bus: false });
    const a = await withActivity(s);
    for (const authenticated of [false, true]) {
      const answer = await a.send('delete', { event_time: now() + 330 }, authenticated);
      t.match(answer, { status: 'skipped', message: /five minutes/ });
    }
    t.match(await a.send('update', { event_time: 99_999_999_999 }), { status: 'skipped' });
    t.match((await s.call('activitynet-ingest.figures', {})).skipped, { EVENT_TIME_AHEAD: 3 });
    t.equal((await a.seen()).workouts.length, 1);
    t.match(await a.send('update', { event_time: now() + 240 }), { status: 'processed' });
  },
);

/** Starts an ingest process that can be killed. */
function spawnIngest(t: Test, s: Setting) {
  const secret = 'a secret of the tests with 32 characters and more';
  const settings = {
    ...{ DATABASE_URL: s.database.url, NATS_URL: natsUrl(), JWT_SECRET: secret, ENCRYPTION_KEY: secret },
    ...{ LOG_LEVEL: 'fatal', ...s.provider.settings },
  };
  const choice = {
    settings,
    pace: { ...fast, leaseMs: 1500 },
    namespace: s.namespace,
    ahead: s.provider.ahead,
  };
  const file = join(import.meta.dirname, 'ingest-process.ts');
  const child = spawn(process.execPath, [file, JSON.stringify(choice)], { stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

t.test(
  'kill -9 at any moment leaves no activity hidden for good, and none deleted',
  { buffered: true },
  async (t) => {
    const s = await setUp(t, { settings: { ACTIVITYNET_READS_PER_DAY: '10000' } });
    s.provider.limits = { quarter: 1000, day: 10_000 };
    const ids = Array.from({ length: 8 }, (_, n) => String(18_000_000_001 + n));
    const { id: user, account } = await s.person();
    for (const [n, id] of ids.entries()) {
      const start_date = new Date(Date.parse('2026-02-01T08:00:00Z') + n * 86_400_000).toISOString();
      s.provider.activities.set(id, {
        details: run(id, { start_date }),
        streams: streams(3, { heartrate: () => 100 }),
      });
      await s.send({ owner_id: Number(account), object_id: Number(id), event_time: now() - 100 });
    }
    await s.settled();
    const before = await seen(s, user);
    t.equal(before.workouts.length, 8);
    // The process of the test goes on receiving, and those that are killed work beside it.
    s.provider.fault = () => ({ delayMs: 150 });
    for (const pauseMs of [60, 200, 400, 700]) {
      const child = spawnIngest(t, s);
      for (const id of ids)
        await s.send({
          owner_id: Number(account),
          object_id: Number(id),
          aspect_type: 'delete',
          event_time: now(),
        });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      child.kill('SIGKILL');
    }
    s.provider.fault = null;
    await s.settled();
    t.same(await seen(s, user), before);
  },
);
