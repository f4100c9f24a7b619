import t from 'tap';
import { run, streams } from '../../fixtures/activitynet/activities.ts';
import type { Fault } from './provider.ts';
import { type Setting, setUp } from './setting.ts';

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
async function withActivity(s: Setting, id = '18000000001') {
  const { id: user, account } = await s.person();
  const heart = streams(3, { heartrate: (n) => 100 + n });
  s.provider.activities.set(id, { details: run(id), streams: heart });
  const send = (aspect_type: string, fields = {}) =>
    s.send({ owner_id: Number(account), object_id: Number(id), aspect_type, event_time: now(), ...fields });
  await send('create', { event_time: now() - 100 });
  await s.settled();
  return { user, id, send, seen: () => seen(s, user) };
}

async function audited(s: Setting, user: string) {
  const rows = await s.database.query<{ action: string; actor: string; details: { samples: number } }>(
    `select action, actor, details from auth.audit_entry where user_id = $1 and action like 'activity.%' order by id`,
    [user],
  );
  return rows.map(({ action, actor, details }) => [action, actor, details.samples]);
}

for (const how of ['mark', 'remove'])
  t.test(`${how}: a deletion deletes the activity without a read`, { buffered: true }, async (t) => {
    const s = await setUp(t, { settings: { EVENT_DELETE: how }, processes: 2 });
    const a = await withActivity(s);
    t.equal((await a.seen()).values.length, 3);
    const asked = s.provider.asked.length;
    t.match(await a.send('delete', { event_time: now() - 5 }), { status: 'processed', message: /deleted/ });
    await s.settled();
    t.same(await a.seen(), nothing, 'no list, no series, no day');
    t.equal(s.provider.asked.length, asked);
    t.same(await s.database.query('select id from timeseries.activity_block'), []);
    t.same(await audited(s, a.user), [['activity.deleted', 'webhook:activitynet', 3]]);
    t.match(await s.rows(), [{ work: null, streams_for: null }]);
    t.match(await a.send('update', { event_time: now() - 50 }), { message: /known already/ });
    await s.settled();
    t.same(await a.seen(), nothing, 'an older event does not bring it back');
    await a.send('create', { event_time: now() });
    await s.settled();
    t.equal((await a.seen()).values.length, 3, 'created anew it is stored whole');
  });

t.test('a deletion that is older than another event changes nothing', { buffered: true }, async (t) => {
  const s = await setUp(t, { bus: false });
  const a = await withActivity(s);
  await a.send('update');
  await s.settled();
  const asked = s.provider.asked.length;
  t.match(await a.send('delete', { event_time: now() - 50 }), { message: /known already/ });
  await s.settled();
  t.equal(s.provider.asked.length, asked);
  t.equal((await a.seen()).values.length, 3);
});

const confirmations: readonly (readonly [name: string, fault: Fault])[] = [
  ['404', 404],
  ['403', 403],
  ['401', 401],
];
for (const [name, fault] of confirmations)
  t.test(
    `a read that answers ${name} confirms a deletion that a later event superseded`,
    { buffered: true },
    async (t) => {
      const s = await setUp(t, { bus: false });
      const a = await withActivity(s);
      s.provider.fault = (path) => (path.includes(a.id) ? fault : null);
      await s.database.query(
        `update activitynet.activity set delete_time = create_time + 1, update_time = create_time + 2,
           work = 'fetch', streams_for = null, version = version + 1, run_at = now()`,
      );
      await s.settled();
      t.same(await a.seen(), nothing);
      t.match(await audited(s, a.user), [['activity.deleted']]);
      t.match(await s.rows(), [{ work: null, streams_for: null }]);
    },
  );

t.test(
  'an event more than five minutes ahead of our clock is refused and counted',
  { buffered: true },
  async (t) => {
    const s = await setUp(t, { bus: false });
    const a = await withActivity(s);
    t.match(await a.send('delete', { event_time: now() + 330 }), {
      status: 'skipped',
      message: /five minutes/,
    });
    t.match(await a.send('update', { event_time: 99_999_999_999 }), { status: 'skipped' });
    t.match((await s.call('activitynet-ingest.figures', {})).skipped, { EVENT_TIME_AHEAD: 2 });
    t.equal((await a.seen()).workouts.length, 1);
    t.match(await a.send('update', { event_time: now() + 240 }), { status: 'processed' });
  },
);
