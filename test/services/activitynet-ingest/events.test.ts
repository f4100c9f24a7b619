import { createHmac, randomUUID } from 'node:crypto';
import t from 'tap';
import { run } from '../../fixtures/activitynet/activities.ts';
import { until } from '../../support/until.ts';
import { event, setUp } from './setting.ts';

const shared = await setUp(t);
let ids = 18_000_000_000;
/** The id of another activity. */
const newId = () => {
  ids += 1;
  return String(ids);
};
const year = { start_date: '2026-01-01', end_date: '2027-01-01' };
const secret = 'the client secret';

t.test('an event of somebody is processed and names activity, action and user', async (t) => {
  const s = shared;
  const { id, account } = await s.person();
  const answer = await s.send({ owner_id: Number(account), object_id: 18_000_000_001 });
  t.equal(answer.status, 'processed');
  for (const part of ['18000000001', 'create', id]) t.ok(answer.message.includes(part), part);
  const other = await s.person(account);
  const both = await s.send({ owner_id: Number(account), object_id: 18_000_000_002 });
  for (const user of [id, other.id]) t.ok(both.message.includes(user), 'each who shares the account');
});

t.test('what is not to be believed, or concerns nobody, is skipped and counted', async (t) => {
  const s = await setUp(t, { bus: false, settings: { ACTIVITYNET_SUBSCRIPTION_ID: '120475' } });
  const { account } = await s.person();
  const body = JSON.stringify(event({ owner_id: Number(account) }));
  const sign = (seconds: number, key = secret) =>
    `t=${seconds},v1=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`;
  const now = Math.floor(Date.now() / 1000);
  const signed = (header: string) => s.deliver(body, { 'x-strava-signature': header });

  t.match(await s.send({ owner_id: 1 }), { status: 'skipped', message: /No user/ });
  t.match(await s.send({ owner_id: Number(account), subscription_id: 1 }), { status: 'skipped' });
  t.match(await s.send({ owner_id: Number(account), subscription_id: undefined }), { status: 'skipped' });
  for (const text of ['', '{', '[]', '{"object_type":"activity"}'])
    t.match(await s.deliver(text), { status: 'skipped' }, text);
  t.match(await signed(sign(now, 'another')), { status: 'skipped', message: /not valid/ });
  t.match(await signed(sign(now - 400)), { status: 'skipped', message: /too old/ });
  t.same(await s.rows(), [], 'nothing follows from any of them');
  t.match(await signed(sign(now)), { status: 'processed' });
  t.match(await s.deliver(body), { status: 'processed' }, 'unsigned, and none is required');
  t.same((await s.call('activitynet-ingest.figures', {})).skipped, {
    MALFORMED: 4,
    OWNER_UNKNOWN: 1,
    SIGNATURE_INVALID: 1,
    SIGNATURE_STALE: 1,
    SUBSCRIPTION_UNKNOWN: 2,
  });
});

t.test('a signature can be required', async (t) => {
  const s = await setUp(t, { bus: false, settings: { ACTIVITYNET_REQUIRE_SIGNATURE: 'true' } });
  const { account } = await s.person();
  t.match(await s.send({ owner_id: Number(account) }), { status: 'skipped', message: /missing/ });
});

/** Sends events of an activity of another user, one after the other, and tells what is listed in the end. */
async function inOrder(steps: readonly (readonly [aspect: string, seconds: number])[]) {
  const { id, account } = await shared.person();
  const activity = newId();
  const { activities, asked } = shared.provider;
  activities.set(activity, { details: run(activity) });
  const send = async (aspect_type: string, event_time: number, fields = {}) => {
    const about = { owner_id: Number(account), object_id: Number(activity), aspect_type, event_time };
    await shared.send({ ...about, ...fields });
    await shared.settled();
  };
  const before = asked.length;
  for (const [aspect, seconds] of steps) await send(aspect, seconds);
  const listed = async () => (await shared.call('timeseries.workouts', { user_id: id, ...year })).data;
  return { id, activity, send, listed, reads: asked.length - before };
}

t.test('an older event never undoes a newer one, and a deletion wins at equal times', async (t) => {
  const cases = [
    ['create', [['create', 100]], 1],
    [
      'an update before its create',
      [
        ['update', 105],
        ['create', 100],
      ],
      1,
    ],
    [
      'a delete before its create',
      [
        ['delete', 105],
        ['create', 100],
      ],
      0,
    ],
    [
      'a delete that is older than the update',
      [
        ['create', 100],
        ['update', 110],
        ['delete', 105],
      ],
      1,
    ],
    [
      'deleted',
      [
        ['create', 100],
        ['delete', 110],
      ],
      0,
    ],
    [
      'a late update of one that is deleted',
      [
        ['create', 100],
        ['delete', 110],
        ['update', 105],
      ],
      0,
    ],
    [
      'create and delete at once',
      [
        ['create', 100],
        ['delete', 100],
      ],
      0,
    ],
    [
      'delete and create at once',
      [
        ['delete', 100],
        ['create', 100],
      ],
      0,
    ],
    [
      'deleted and created again',
      [
        ['create', 100],
        ['delete', 110],
        ['create', 120],
      ],
      1,
    ],
    [
      'deleted twice',
      [
        ['create', 100],
        ['delete', 110],
        ['delete', 110],
      ],
      0,
    ],
  ] as const;
  for (const [name, steps, listed] of cases)
    t.equal((await (await inOrder(steps)).listed()).length, listed, name);
});

t.test('the same event twice, and one that comes late, cost no read', async (t) => {
  const { reads } = await inOrder([
    ['create', 100],
    ['create', 100],
    ['create', 99],
  ]);
  t.equal(reads, 2, 'details and streams, once');
  const late = await inOrder([
    ['update', 105],
    ['create', 100],
  ]);
  t.equal(late.reads, 2);
});

t.test('an update of the second of its create is fetched: it may tell more', async (t) => {
  const { reads } = await inOrder([
    ['create', 100],
    ['update', 100],
    ['update', 100],
  ]);
  t.equal(reads, 3, 'details and streams, then details of the same recording');
});

t.test('an update keeps the record and its id', async (t) => {
  const { activity, send, listed } = await inOrder([['create', 100]]);
  const [before] = await listed();
  const details = run(activity, { name: 'Renamed', distance: 9000 });
  shared.provider.activities.set(activity, { details });
  await send('update', 200, { updates: { title: 'Renamed' } });
  t.match(await listed(), [{ id: before?.id, name: 'Renamed', distance_meters: 9000 }]);
});

t.test('an update that comes while its activity is fetched is fetched too', async (t) => {
  const { id, account } = await shared.person();
  const activity = newId();
  const put = (name: string) =>
    shared.provider.activities.set(activity, { details: run(activity, { name }), streams: {} });
  const send = (aspect_type: string, event_time: number) =>
    shared.send({ owner_id: Number(account), object_id: Number(activity), aspect_type, event_time });
  const readings = () => shared.provider.asked.filter(({ path }) => path.includes(activity));
  // The details are read; the streams are not there yet.
  const { promise, resolve } = Promise.withResolvers<void>();
  shared.provider.fault = (path) => (path.includes(`${activity}/streams`) ? { until: promise } : null);
  put('As it was');
  await send('create', 100);
  while (readings().length === 0) await new Promise((done) => setTimeout(done, 5));
  put('As it is');
  await send('update', 200);
  resolve();
  await shared.settled();
  shared.provider.fault = null;
  t.match((await shared.call('timeseries.workouts', { user_id: id, ...year })).data, [{ name: 'As it is' }]);
  t.equal(readings().filter(({ path }) => path.endsWith(activity)).length, 2);
});

t.test('of an account that is connected anew the streams are read anew', async (t) => {
  const s = await setUp(t, { bus: false });
  s.provider.ahead = 0; // the time of the fetch is compared with that of the connection
  const { id, account } = await s.person();
  const heart = { time: { data: [0, 1] }, heartrate: { data: [100, 101] } };
  s.provider.activities.set('18000000001', { details: run('18000000001'), streams: heart });
  const update = async (event_time: number) => {
    const before = s.provider.asked.length;
    await s.send({ owner_id: Number(account), aspect_type: 'update', event_time });
    await s.settled();
    return s.provider.asked.slice(before).map(({ path }) => path.split('/').at(-1));
  };
  t.same(await update(100), ['18000000001', 'streams']);
  t.same(await update(200), ['18000000001'], 'those of the same recording are there');
  const link = { user_id: id, provider: 'activitynet' as const };
  await s.call('users.disconnect', link);
  await s.call('timeseries.purge', { ...link, version: 1 });
  await s.call('timeseries.reopen', { ...link, version: 2 });
  await s.call('users.connect', { ...link, provider_user_id: account, access_token: `token of ${account}` });
  t.same(await update(300), ['18000000001', 'streams']);
  const range = { start_time: '2026-01-01', end_time: '2027-01-01' };
  t.equal((await s.call('timeseries.samples', { user_id: id, ...range })).pagination.total_count, 2);
});

t.test('a deletion marks the record, or removes it with its samples', async (t) => {
  for (const [how, kept] of [
    ['mark', 1],
    ['remove', 0],
  ] as const) {
    const s = await setUp(t, { bus: false, settings: { EVENT_DELETE: how } });
    const { id, account } = await s.person();
    const details = run('18000000001');
    const streams = { time: { data: [0, 1] }, heartrate: { data: [100, 101] } };
    s.provider.activities.set('18000000001', { details, streams });
    const send = async (aspect_type: string, event_time: number) => {
      await s.send({ owner_id: Number(account), aspect_type, event_time });
      await s.settled();
      return (await s.call('timeseries.workouts', { user_id: id, ...year })).data[0];
    };
    const samples = async () =>
      (await s.call('timeseries.samples', { user_id: id, start_time: '2026-01-01', end_time: '2027-01-01' }))
        .pagination.total_count;
    const first = await send('create', 100);
    t.equal(await samples(), 2);
    t.equal(await send('delete', 110), undefined);
    t.equal((await s.database.query('select id from timeseries.workout')).length, kept, how);
    t.equal(await samples(), 0, how);
    const again = await send('create', 120);
    t.equal(again?.name, 'Morning Run', 'the same content is stored again');
    t.equal(again?.id === first?.id, how === 'mark');
    t.equal(await samples(), 2);
  }
});

t.test('404 after a create is no error, and nothing is stored', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id, account } = await s.person();
  await s.send({ owner_id: Number(account) });
  await s.settled();
  t.match(await s.rows(), [{ error: 'NOT_FOUND', failures: 0, attempt: 1 }]);
  t.same((await s.call('timeseries.workouts', { user_id: id, ...year })).data, []);
  t.match(await s.call('activitynet-ingest.figures', {}), { budget: { quarter_used: 1 }, given_up: 0 });
});

t.test('deauthorization revokes the connection and erases its tokens; what waits is dropped', async (t) => {
  for (const event of [
    { aspect_type: 'update', updates: { authorized: 'false' } },
    { aspect_type: 'delete' },
  ]) {
    const s = await setUp(t, { bus: false, settings: { ACTIVITYNET_READS_PER_15_MIN: '2' } });
    const { id, account } = await s.person();
    for (const object_id of [1, 2, 3]) await s.send({ owner_id: Number(account), object_id });
    const event_time = Math.floor(Date.now() / 1000) + 10;
    const athlete = { object_type: 'athlete', object_id: Number(account), owner_id: Number(account) };
    t.match(await s.send({ ...athlete, ...event, event_time: 1_700_000_000 }), { status: 'processed' });
    t.match(
      await s.call('users.connections', { user_id: id }),
      [{ status: 'active' }],
      'from before the link',
    );
    const answer = await s.send({ ...athlete, ...event, event_time });
    t.match(answer, { status: 'processed', message: new RegExp(id) });
    t.match(await s.call('users.connections', { user_id: id }), [{ status: 'revoked' }]);
    t.match(await s.database.query('select access_token, refresh_token from users.connection'), [
      { access_token: null, refresh_token: null },
    ]);
    await s.settled();
    t.match(await s.send({ owner_id: Number(account), object_id: 9 }), { status: 'skipped' });
  }
});

t.test('changes of privacy are kept on the connection, the newest of each, and on the record', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id, account } = await s.person();
  const now = Math.floor(Date.now() / 1000) + 10;
  const athlete = { object_type: 'athlete', aspect_type: 'update', owner_id: Number(account) };
  const send = (event_time: number, updates: Record<string, string>) =>
    s.send({ ...athlete, event_time, updates });
  await send(now, { private: 'true' });
  await send(now - 5, { private: 'false' });
  await send(now + 5, { visibility: 'only_me', authorized: 'true' });
  const privacy = { private: 'true', visibility: 'only_me' };
  t.match(await s.call('users.connections', { user_id: id }), [{ status: 'active', privacy }]);
  s.provider.activities.set('18000000001', { details: run('18000000001', { private: true }) });
  await s.send({ owner_id: Number(account), aspect_type: 'update', updates: { private: 'true' } });
  await s.settled();
  const [stored] = await s.database.query('select id from timeseries.workout');
  t.match(await s.call('timeseries.workout', { user_id: id, event_id: stored?.id }), { private: true });
  const link = { user_id: id, provider: 'activitynet' as const };
  await s.call('users.disconnect', link);
  t.match(await s.call('users.connect', { ...link, provider_user_id: account }), { privacy });
  await s.call('users.disconnect', link);
  t.match(
    await s.call('users.connect', { ...link, provider_user_id: 'another' }),
    { privacy: null },
    'another account has said nothing',
  );
});

t.test('an event that waited is not given to a user who linked the account meanwhile', async (t) => {
  const s = await setUp(t, { bus: false });
  const before = await s.person();
  const id = await s.inbox.receive({
    provider: 'activitynet',
    kind: 'event',
    headers: {},
    body: Buffer.from(JSON.stringify(event({ owner_id: Number(before.account) }))),
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const after = await s.person(before.account);
  await s.database.query(
    `update deliveries.delivery set run_at = now() - interval '1 second' where id = $1`,
    [id],
  );
  while ((await s.inbox.stateOf(id))?.state !== 'done')
    await new Promise((resolve) => setTimeout(resolve, 20));
  t.same(
    (await s.rows()).map(({ user_id }) => user_id),
    [before.id],
  );
  t.not(after.id, before.id);
});

t.test('of a user who is deleted nothing is kept', async (t) => {
  const s = await setUp(t, { bus: false });
  const { id, account } = await s.person();
  const other = await s.person();
  await s.send({ owner_id: Number(account) });
  await s.send({ owner_id: Number(other.account), object_id: 2 });
  await s.call('activitynet-ingest.startBackfill', { user_id: id, start_ms: 0, end_ms: Date.now() });
  t.same(await s.call('activitynet-ingest.forgetUser', { user_id: id }), { forgotten: 1 });
  t.match(await s.rows(), [{ user_id: other.id }]);
  t.same(await s.database.query('select id from activitynet.listing'), []);
  t.same(await s.call('activitynet-ingest.forgetUser', { user_id: randomUUID() }), { forgotten: 0 });
});

t.test('ids beyond 2^53 are told apart', async (t) => {
  const s = await setUp(t, { bus: false });
  const { account } = await s.person();
  for (const id of ['9007199254740993', '9007199254740992'])
    await s.deliver(
      JSON.stringify(event({ owner_id: Number(account), object_id: 0 })).replace(
        '"object_id":0',
        `"object_id":${id}`,
      ),
    );
  await s.settled();
  t.same(
    (await s.rows()).map(({ object_id }) => object_id),
    ['9007199254740992', '9007199254740993'],
  );
  t.same(s.provider.asked.map(({ path }) => path).sort(), [
    '/api/v3/activities/9007199254740992',
    '/api/v3/activities/9007199254740993',
  ]);
});

t.test('while users is away an event is stored and waits', async (t) => {
  const s = await setUp(t, { processes: 0 });
  const { account } = await s.person();
  const id = await s.inbox.receive({
    provider: 'activitynet',
    kind: 'event',
    headers: {},
    body: Buffer.from(JSON.stringify(event({ owner_id: Number(account) }))),
  });
  t.same(await s.rows(), []);
  await s.database.query(
    `update deliveries.delivery set run_at = now() - interval '1 second' where id = $1`,
    [id],
  );
  await s.startIngest();
  await until(async () => (await s.inbox.answerOf(id)) !== null);
  t.match(await s.inbox.answerOf(id), { status: 'processed' });
});
