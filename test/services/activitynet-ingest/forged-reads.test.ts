import t from 'tap';
import { run } from '../../fixtures/activitynet/activities.ts';
import { dayMs, fast, idle, quarterMs, type Setting, setUp, turnOn } from './setting.ts';

const now = () => Math.floor(Date.now() / 1000);
const year = { start_date: '2026-01-01', end_date: '2027-01-01' };

/** An activity that was typed in: one read. */
function put(s: Setting, id: number, changes = {}) {
  const start_date = new Date(Date.parse('2026-01-01T08:00:00Z') + (id % 300) * dayMs).toISOString();
  s.provider.activities.set(String(id), {
    details: run(String(id), { manual: true, start_date, ...changes }),
  });
}

const listed = async (s: Setting, user_id: string) =>
  (await s.call('timeseries.workouts', { user_id, ...year })).pagination.total_count;

/** Sends an event of each activity of a range, a few at a time. */
async function flood(s: Setting, account: string, from: number, count: number, fields = {}) {
  const ids = Array.from({ length: count }, (_, n) => from + n).values();
  const sender = async () => {
    for (const object_id of ids)
      await s.send({ owner_id: Number(account), object_id, event_time: now(), ...fields });
  };
  await Promise.all(Array.from({ length: 8 }, sender));
}

t.test('forged creates of one account cost 20 reads a day, and hold nobody else up', async (t) => {
  const s = await setUp(t, { processes: 2 });
  const [victim, other] = [await s.person(), await s.person()];
  await flood(s, victim.account, 1, 60);
  await idle(s);
  t.equal(s.provider.asked.length, 20);
  t.match(await s.call('activitynet-ingest.figures', {}), { postponed: 40, live_waiting: 0 });
  put(s, 9001);
  await s.send({ owner_id: Number(other.account), object_id: 9001, event_time: now() });
  await idle(s);
  t.equal(await listed(s, other.id), 1, 'an honest event of another account');
  put(s, 9002);
  await s.send({ owner_id: Number(victim.account), object_id: 9002, event_time: now() }, {}, true);
  await idle(s);
  t.equal(await listed(s, victim.id), 1, 'an authenticated event of the same account');
  for (let quarter = 0; quarter < 4; quarter += 1) {
    turnOn(s, quarterMs);
    await idle(s);
  }
  t.equal(s.provider.asked.length, 22, 'nothing more on the same day');
});

t.test('what waits is tried again the next day, and what is there is stored', async (t) => {
  const s = await setUp(t, { pace: { upkeepMs: 20 } });
  const { id, account } = await s.person();
  await flood(s, account, 1, 25, { event_time: now() - 10 });
  await idle(s);
  for (let object_id = 101; object_id <= 105; object_id += 1) put(s, object_id);
  await flood(s, account, 101, 5);
  await idle(s);
  t.equal(await listed(s, id), 0, 'an owner under attack waits');
  turnOn(s, dayMs);
  while ((await s.rows()).some(({ work }) => work !== null)) {
    await idle(s);
    s.provider.ahead += quarterMs;
  }
  t.equal(await listed(s, id), 5);
  t.equal(s.provider.asked.length, 30);
});

t.test('reads that bring something are given back: an honest owner fetches a fifth of a day', async (t) => {
  const s = await setUp(t, {
    processes: 2,
    pace: { upkeepMs: 20 },
    settings: { ACTIVITYNET_READS_PER_15_MIN: '500', ACTIVITYNET_READS_PER_DAY: '500' },
  });
  s.provider.limits = { quarter: 500, day: 500 };
  const { id, account } = await s.person();
  for (let object_id = 1; object_id <= 110; object_id += 1) put(s, object_id, { name: `Run ${object_id}` });
  await flood(s, account, 1, 50);
  await idle(s);
  t.equal(await listed(s, id), 50);
  for (let object_id = 1; object_id <= 25; object_id += 1) put(s, object_id, { name: 'Renamed' });
  await flood(s, account, 1, 25, { aspect_type: 'update', event_time: now() + 1 });
  await idle(s);
  t.equal(
    (await s.call('timeseries.workouts', { user_id: id, ...year, limit: 100 })).data.filter(
      ({ name }) => name === 'Renamed',
    ).length,
    25,
  );
  for (let object_id = 1; object_id <= 25; object_id += 1) s.provider.activities.delete(String(object_id));
  await flood(s, account, 1, 25, { aspect_type: 'delete', event_time: now() + 2 });
  while ((await listed(s, id)) > 25) {
    await idle(s);
    s.provider.ahead += 30_000;
  }
  t.equal(await listed(s, id), 25, 'and deletes half of them');
  t.equal(s.provider.asked.length, 100);
  await flood(s, account, 51, 10);
  await idle(s);
  t.equal(s.provider.asked.length, 100, 'more than a fifth of a day is nobody’s');
  await s.send({ owner_id: Number(account), object_id: 75, event_time: now() }, {}, true);
  await idle(s);
  t.equal(await listed(s, id), 26, 'but of the provider itself');
});

t.test('forged updates of what is there cost 20 reads, and change nothing', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id, account } = await s.person();
  for (let object_id = 1; object_id <= 3; object_id += 1) put(s, object_id);
  await flood(s, account, 1, 3, { event_time: now() - 1000 });
  await s.settled();
  const asked = s.provider.asked.length;
  for (let n = 0; n < 10; n += 1) {
    await flood(s, account, 1, 3, { aspect_type: 'update', event_time: now() - 900 + n });
    await idle(s);
  }
  t.equal(s.provider.asked.length - asked, 20);
  t.equal(await listed(s, id), 3);
});

t.test('forged deletions hide no more than can be asked about', async (t) => {
  const s = await setUp(t, { pace: { upkeepMs: 20 }, settings: { ACTIVITYNET_READS_PER_DAY: '500' } });
  const { id, account } = await s.person();
  for (let object_id = 1; object_id <= 30; object_id += 1) put(s, object_id);
  s.provider.limits = { quarter: 1000, day: 500 };
  await flood(s, account, 1, 30, { event_time: now() - 1000 });
  await s.settled();
  await s.database.query(`update activitynet.budget set paused_until = 'infinity'`);
  await flood(s, account, 1, 30, { aspect_type: 'delete' });
  await idle(s);
  t.equal(await listed(s, id), 20);
  await s.database.query('update activitynet.budget set paused_until = null');
  await idle(s);
  t.equal(await listed(s, id), 30);
  const asked = s.provider.asked.length;
  await flood(s, account, 1, 30, { aspect_type: 'delete', event_time: now() + 5 });
  await idle(s);
  t.equal(s.provider.asked.length, asked);
  t.equal(await listed(s, id), 30, 'the rest of the day nothing is hidden');
  for (let object_id = 1; object_id <= 30; object_id += 1) s.provider.activities.delete(String(object_id));
  while ((await s.rows()).some(({ work }) => work !== null)) {
    turnOn(s, quarterMs);
    await idle(s);
  }
  t.equal(await listed(s, id), 0, 'what is deleted indeed goes as soon as it can be asked about');
});

t.test('forged events of many accounts leave three quarters of each window', async (t) => {
  const s = await setUp(t, { bus: false, pace: { ...fast, parallel: 1 } });
  const people = await Promise.all(Array.from({ length: 6 }, () => s.person()));
  for (const [n, { account }] of people.entries()) await flood(s, account, 1 + n * 100, 6);
  await idle(s);
  t.equal(s.provider.asked.length, 25);
  const [first] = people;
  put(s, 9001);
  await s.send({ owner_id: Number(first?.account), object_id: 9001, event_time: now() }, {}, true);
  await idle(s);
  t.equal(await listed(s, first?.id ?? ''), 1, 'an authenticated event');
});

t.test('history goes on while its owner is under attack', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id, account } = await s.person();
  for (let object_id = 1; object_id <= 30; object_id += 1) put(s, object_id);
  await flood(s, account, 1000, 25);
  await idle(s);
  const span = { start_ms: Date.parse('2026-01-01T00:00:00Z'), end_ms: Date.parse('2026-12-01T00:00:00Z') };
  await s.database.query(`update activitynet.budget set paused_until = 'infinity'`);
  await s.call('activitynet-ingest.startBackfill', { user_id: id, ...span });
  await s.database.query('update activitynet.budget set paused_until = null');
  while ((await listed(s, id)) < 30) await idle(s);
  await flood(s, account, 1, 30, { aspect_type: 'delete', event_time: now() });
  await flood(s, account, 1, 30, { aspect_type: 'update', event_time: now() });
  for (let quarter = 0; quarter < 6; quarter += 1) {
    turnOn(s, quarterMs);
    await idle(s);
  }
  t.match(await s.call('activitynet-ingest.backfillStatus', { user_id: id }), { status: 'done' });
  t.equal(await listed(s, id), 30);
});

t.test('no more than 500 activities of an owner wait for events that nobody authenticated', async (t) => {
  const s = await setUp(t, { bus: false, pace: { parallel: 0 } });
  const { id, account } = await s.person();
  const [link] = await s.database.query('select id from users.connection');
  await s.database.query(
    `insert into activitynet.activity (user_id, object_id, connection_id, create_time, work, turn, authenticated)
     select $1, n, $2, 1, 'fetch', 1, n > 499 from generate_series(1, 600) n`,
    [id, link?.id],
  );
  const send = (object_id: number, authenticated = false, aspect_type = 'create') =>
    s.send({ owner_id: Number(account), object_id, aspect_type, event_time: now() }, {}, authenticated);
  t.match(await send(1001), { status: 'processed' }, 'the 500th');
  t.match(await send(1002), { status: 'skipped', message: /Too many/ });
  t.match(await send(7), { status: 'processed' }, 'one that waits already');
  t.match(await send(1003, true), { status: 'processed' });
  t.match(await send(8, false, 'delete'), { status: 'processed' });
  t.match((await s.call('activitynet-ingest.figures', {})).skipped, { OWNER_BUSY: 1 });
});
