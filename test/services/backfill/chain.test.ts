import { randomUUID } from 'node:crypto';
import t from 'tap';
import { until } from '../../support/until.ts';
import { settingsOf, startSetting, statusByType, untilAsked } from './setting.ts';

const day = 86_400;
const settingOf = settingsOf(t);

t.test('one type after another is asked for, the next when the data of the last one came', async (t) => {
  const on = await settingOf();
  const wearer = await on.wearer();
  const begun = await on.start(wearer, 30);
  t.match(begun, { status: 'running', reason: null, finished_at: null, user_id: wearer.user_id });
  const to = Date.parse(begun.end_time) / 1000;
  t.equal(Date.parse(begun.start_time) / 1000, to - 30 * day);

  await untilAsked(on, 1);
  t.same(on.provider.asked, [{ type: 'dailies', from: to - 30 * day, to, token: wearer.token }]);
  t.same(statusByType(await on.status(wearer)), { dailies: 'requested', sleeps: 'waiting', hrv: 'waiting' });

  const first = await on.bring(wearer, 'dailies', { items: 30, saved: 28 });
  t.same(first, { chained: [wearer.user_id], completed: [{ type: 'dailies', user_id: wearer.user_id }] });
  await untilAsked(on, 2);
  t.equal(on.provider.asked[1]?.type, 'sleeps');

  t.same((await on.bring(wearer, 'sleeps')).chained, [wearer.user_id]);
  await untilAsked(on, 3);
  const last = await on.bring(wearer, 'hrv');
  t.same(
    last,
    { chained: [], completed: [{ type: 'hrv', user_id: wearer.user_id }] },
    'nothing is left to ask',
  );
  await until(async () => (await on.status(wearer)).status === 'done', 'the end');
  const { finished_at, types } = await on.status(wearer);
  t.type(finished_at, 'string');
  t.match(types, [
    {
      type: 'dailies',
      status: 'received',
      reason: null,
      requests: 1,
      requests_done: 1,
      items: 30,
      saved: 28,
    },
    { type: 'sleeps', status: 'received', items: 1, saved: 1 },
    { type: 'hrv', status: 'received' },
  ]);
  t.ok(types.every(({ requested_at, received_at }) => requested_at !== null && received_at !== null));
  t.equal(on.provider.asked.length, 3);
  t.equal(on.provider.mostAtOnce(), 1);
});

t.test('75 days are asked for in three spans a type, each when its data came', async (t) => {
  const on = await settingOf({ types: 'dailies,sleeps' });
  const wearer = await on.wearer();
  const begun = await on.start(wearer, 75);
  const to = Date.parse(begun.end_time) / 1000;
  const spans = [
    { from: to - 30 * day, to },
    { from: to - 60 * day, to: to - 30 * day },
    { from: to - 75 * day, to: to - 60 * day },
  ];
  const expected = ['dailies', 'sleeps'].flatMap((type) => spans.map((span) => ({ type, ...span })));
  for (const [index, { type, from }] of expected.entries()) {
    await untilAsked(on, index + 1);
    const begins = { first_start_ms: (from + day) * 1000, last_start_ms: (from + 2 * day) * 1000 };
    await on.bring(wearer, type, begins);
  }
  await until(async () => (await on.status(wearer)).status === 'done', 'the end');
  t.same(
    on.provider.asked,
    expected.map((one) => ({ ...one, token: wearer.token })),
  );
  t.match((await on.status(wearer)).types, [
    { type: 'dailies', requests: 3, requests_done: 3, items: 3 },
    { type: 'sleeps', requests: 3, requests_done: 3, items: 3 },
  ]);
});

t.test('a request whose time is up is followed by the next, and its late data is counted', async (t) => {
  const on = await settingOf();
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  await on.turnClock();
  await untilAsked(on, 2);
  t.equal(on.provider.asked[1]?.type, 'sleeps');
  const reason = 'No data arrived in time. The provider may have no data for this span.';
  t.match((await on.status(wearer)).types[0], { status: 'skipped', reason, received_at: null, items: 0 });
  t.same(await on.bring(wearer, 'dailies', { items: 4 }), { chained: [], completed: [] });
  t.match((await on.status(wearer)).types[0], { status: 'received', reason: null, items: 4 });
  t.equal(on.provider.asked.length, 2, 'and sets nothing off');
});

t.test('BACKFILL_WAIT_SECONDS is how long the data of a request is waited for', async (t) => {
  const on = await startSetting(t, { settings: { BACKFILL_WAIT_SECONDS: '1' } });
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 3);
  await until(async () => (await on.status(wearer)).status !== 'running', 'the end');
  t.same(Object.values(statusByType(await on.status(wearer))), ['skipped', 'skipped', 'skipped']);
});

t.test('data that came before the deadline is not asked for again when it passes', async (t) => {
  const on = await settingOf({ types: 'dailies' });
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  await on.bring(wearer, 'dailies');
  await until(async () => (await on.status(wearer)).status === 'done', 'the end');
  await on.turnClock();
  t.match(await on.status(wearer), { status: 'done', types: [{ status: 'received' }] });
});

t.test('the data may come before the answer does', async (t) => {
  const on = await settingOf({ types: 'dailies,sleeps' });
  const wearer = await on.wearer();
  const told: unknown[] = [];
  on.provider.onBackfill = async ({ type }) => {
    told.push((await on.bring(wearer, type)).chained);
    await on.turnClock();
    return { status: 202 };
  };
  await on.start(wearer);
  await until(async () => (await on.status(wearer)).status === 'done', 'the end');
  t.same(told, [[wearer.user_id], []]);
  t.same(
    on.provider.asked.map(({ type }) => type),
    ['dailies', 'sleeps'],
  );
  t.equal(on.provider.mostAtOnce(), 1, 'the next waits for the answer');
});

t.test('data of another type, another time, another user, or of nobody completes nothing', async (t) => {
  const on = await settingOf();
  const [wearer, other] = [await on.wearer(), await on.wearer()];
  const begun = await on.start(wearer, 30);
  await untilAsked(on, 1);
  const nothing = { chained: [], completed: [] };
  const from = Date.parse(begun.start_time);
  const at = (ms: number) => ({ first_start_ms: ms, last_start_ms: ms });
  t.same(await on.bring(wearer, 'sleeps'), nothing, 'a type that was not asked for yet');
  t.same(await on.bring(wearer, 'dailies', at(from - 1000 * (day + 1))), nothing, 'just before the span');
  t.same(await on.bring(wearer, 'dailies', at(Date.parse(begun.end_time) + 1000 * (day + 1))), nothing);
  t.same(await on.bring(other, 'dailies'), nothing, 'somebody without a backfill');
  t.same(await on.bring({ ...wearer, connection_id: randomUUID() }, 'dailies'), nothing);
  t.same(statusByType(await on.status(wearer)), { dailies: 'requested', sleeps: 'waiting', hrv: 'waiting' });
  t.same((await on.bring(wearer, 'dailies', at(from - 1000 * (day - 1)))).chained, [wearer.user_id]);
});

t.test('items that do not say when they begin complete the request', async (t) => {
  const on = await settingOf();
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  const told = await on.bring(wearer, 'dailies', { first_start_ms: null, last_start_ms: null });
  t.same(told.chained, [wearer.user_id]);
});

t.test(
  'the same delivery again counts nothing and is told the same; what it brings more is added',
  async (t) => {
    const on = await settingOf();
    const wearer = await on.wearer();
    await on.start(wearer);
    await untilAsked(on, 1);
    const delivery_id = randomUUID();
    const first = await on.bring(wearer, 'dailies', { delivery_id, items: 3, saved: 2 });
    t.same(await on.bring(wearer, 'dailies', { delivery_id, items: 3, saved: 2 }), first);
    t.match((await on.status(wearer)).types[0], { items: 3, saved: 2 });
    t.same(await on.bring(wearer, 'dailies', { delivery_id, items: 5, saved: 0 }), first, 'worked on again');
    t.match((await on.status(wearer)).types[0], { items: 5, saved: 2 });
    const nothing = { chained: [], completed: [] };
    t.same(
      await on.bring(wearer, 'dailies', { items: 2, saved: 1 }),
      nothing,
      'another delivery of the same type',
    );
    t.match((await on.status(wearer)).types[0], { items: 7, saved: 3 });
  },
);

t.test('20 deliveries of the awaited type at once set off one request', async (t) => {
  const on = await settingOf();
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 1);
  const told = await Promise.all(Array.from({ length: 20 }, () => on.bring(wearer, 'dailies')));
  t.equal(told.filter(({ chained }) => chained.length > 0).length, 1);
  t.equal(told.filter(({ completed }) => completed.length > 0).length, 1);
  await untilAsked(on, 2);
  t.same(
    on.provider.asked.map(({ type }) => type),
    ['dailies', 'sleeps'],
  );
  t.match((await on.status(wearer)).types[0], { items: 20, saved: 20 });
});

t.test('a span that was asked for before is skipped at once', async (t) => {
  const on = await settingOf();
  on.provider.onBackfill = ({ type }) => ({ status: type === 'dailies' ? 409 : 202 });
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 2);
  const { types } = await on.status(wearer);
  t.match(types[0], { status: 'skipped', reason: /before/ });
  t.match(types[1], { status: 'requested' });
});

t.test('a type that is switched off is skipped with all its spans', async (t) => {
  const on = await settingOf();
  on.provider.onBackfill = ({ type }) => ({ status: type === 'dailies' ? 412 : 202 });
  const wearer = await on.wearer();
  await on.start(wearer, 75);
  await untilAsked(on, 2);
  t.same(
    on.provider.asked.map(({ type }) => type),
    ['dailies', 'sleeps'],
  );
  t.match((await on.status(wearer)).types[0], {
    status: 'skipped',
    requests: 3,
    requests_done: 3,
    reason: /disabled/,
  });
});

t.test('a user who withholds history ends it', async (t) => {
  const on = await settingOf();
  on.provider.onBackfill = () => ({ status: 403 });
  const wearer = await on.wearer();
  await on.start(wearer);
  await until(async () => (await on.status(wearer)).status !== 'running', 'the end');
  const { status, reason, types, finished_at } = await on.status(wearer);
  t.match(
    { status, reason },
    { status: 'stopped', reason: 'The user does not permit the provider to send past data.' },
  );
  t.type(finished_at, 'string');
  t.ok(types.every((type) => type.status === 'skipped'));
  await on.turnClock();
  await on.start(wearer);
  await untilAsked(on, 2);
  t.equal(on.provider.asked.length, 2, 'one that was started anew asks anew');
});

t.test('a provider that asks to wait gets its time, and no attempt is spent', async (t) => {
  const on = await settingOf();
  let busy = 15;
  on.provider.onBackfill = () =>
    busy-- > 0 ? { status: 429, headers: { 'retry-after': '600' } } : { status: 202 };
  const wearer = await on.wearer();
  await on.start(wearer);
  for (let times = 1; times <= 16; times += 1) {
    await untilAsked(on, times);
    const [row] = await on.database.query<{ ahead: number; attempts: number }>(
      `select extract(epoch from run_at - now())::int as ahead, s.attempts from backfill.run r
       join backfill.step s on s.run_id = r.id and s.position = 1`,
    );
    if (times === 1) t.ok((row?.ahead ?? 0) > 500 && (row?.ahead ?? 0) <= 600, 'it is due in ten minutes');
    t.equal(row?.attempts, times === 16 ? 1 : 0);
    if (times < 16) await on.turnClock();
  }
  t.same(statusByType(await on.status(wearer)), { dailies: 'requested', sleeps: 'waiting', hrv: 'waiting' });
});

for (const [what, reply] of [
  ['fails', { status: 500 }],
  ['is silent', 'silent'],
] as const)
  t.test(`a provider that ${what} is asked again later, and then given up type by type`, async (t) => {
    const on = await settingOf({ types: 'dailies,sleeps', pace: { timeoutMs: 50 } });
    on.provider.onBackfill = ({ type }) => (type === 'dailies' ? reply : { status: 202 });
    const wearer = await on.wearer();
    await on.start(wearer);
    await untilAsked(on, 1);
    t.match((await on.status(wearer)).types[0], { status: 'waiting' }, 'it is not given up');
    for (let times = 2; times <= 12; times += 1) {
      await on.turnClock();
      await untilAsked(on, times);
    }
    await untilAsked(on, 13);
    const types = on.provider.asked.map(({ type }) => type);
    t.same(types, [...Array(12).fill('dailies'), 'sleeps'], '12 attempts, then the next type');
    t.match((await on.status(wearer)).types, [
      { type: 'dailies', status: 'failed', reason: /too many times/ },
      { type: 'sleeps', status: 'requested' },
    ]);
    await on.bring(wearer, 'sleeps');
    await until(async () => (await on.status(wearer)).status !== 'running', 'the end');
    t.equal((await on.status(wearer)).status, 'done', 'what could be had was had');
  });

t.test('a provider that recovers is asked for what it failed to take', async (t) => {
  const on = await settingOf({ types: 'dailies' });
  const replies = [{ status: 502 }, { status: 503, headers: { 'retry-after': '300' } }, { status: 202 }];
  on.provider.onBackfill = () => replies.shift() ?? { status: 500 };
  const wearer = await on.wearer();
  await on.start(wearer);
  for (const times of [1, 2]) {
    await untilAsked(on, times);
    await on.turnClock();
  }
  await untilAsked(on, 3);
  t.same(new Set(on.provider.asked.map(({ from }) => from)).size, 1, 'the same span');
  t.match((await on.status(wearer)).types, [{ status: 'requested' }]);
});

t.test(
  'data of a request whose answer was lost completes it while it waits for another attempt',
  async (t) => {
    const on = await settingOf({ types: 'dailies,sleeps', pace: { timeoutMs: 50 } });
    on.provider.onBackfill = () => 'silent';
    const wearer = await on.wearer();
    await on.start(wearer);
    await untilAsked(on, 1);
    on.provider.onBackfill = () => ({ status: 202 });
    t.same((await on.bring(wearer, 'dailies')).chained, [wearer.user_id]);
    // A second attempt may have been sent before the data came.
    await until(async () => on.provider.asked.some(({ type }) => type === 'sleeps'), 'the next type');
  },
);

t.test('a provider that is not there fails every type in the end', async (t) => {
  const on = await startSetting(t, { types: 'dailies,sleeps' });
  await on.provider.close();
  const wearer = await on.wearer();
  await on.start(wearer);
  await until(async () => {
    await on.turnClock();
    return (await on.status(wearer)).status !== 'running';
  }, 'the end');
  t.match(await on.status(wearer), { status: 'failed', reason: 'No request succeeded.' });
});

t.test('a request that the provider refuses fails its span, and the chain goes on', async (t) => {
  const on = await settingOf({ types: 'dailies,sleeps' });
  on.provider.onBackfill = ({ type }) =>
    type === 'dailies' ? { status: 302, headers: { location: on.provider.url } } : { status: 202 };
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 2);
  t.match((await on.status(wearer)).types[0], { status: 'failed', reason: /refused/ });
});

t.test('a dead access token is refreshed once, and the request sent with the new one', async (t) => {
  const on = await settingOf();
  on.provider.onBackfill = ({ token }) => ({ status: token === 'access-1' ? 202 : 401 });
  const wearer = await on.wearer();
  await on.start(wearer);
  await untilAsked(on, 2);
  t.same(
    on.provider.asked.map(({ type, token }) => [type, token]),
    [
      ['dailies', wearer.token],
      ['dailies', 'access-1'],
    ],
  );
  t.same(on.provider.refreshed, [`refresh-${wearer.token}`]);
  t.equal((await on.status(wearer)).status, 'running');
});

t.test('a token that stays dead ends it, and expires the connection with a reason', async (t) => {
  const on = await settingOf();
  on.provider.onBackfill = () => ({ status: 401 });
  const wearer = await on.wearer();
  await on.start(wearer);
  await until(async () => (await on.status(wearer)).status !== 'running', 'the end');
  t.match(await on.status(wearer), {
    status: 'stopped',
    reason: 'The provider no longer accepts our access: the user has to connect again.',
  });
  t.equal(on.provider.asked.length, 2);
  t.equal(on.provider.refreshed.length, 1);
  t.match(await on.call('users.connections', { user_id: wearer.user_id }), [{ status: 'expired' }]);
  const [row] = await on.database.query('select * from users.connection where id = $1', [
    wearer.connection_id,
  ]);
  t.match(row, { status_reason: 'TOKEN_REFUSED', access_token: null, refresh_token: null });
});

t.test('a refresh that is refused ends it without a further request', async (t) => {
  const on = await settingOf();
  on.provider.onBackfill = () => ({ status: 401 });
  on.provider.onRefresh = () => ({ status: 400, body: { error: 'invalid_grant' } });
  const wearer = await on.wearer();
  await on.start(wearer);
  await until(async () => (await on.status(wearer)).status !== 'running', 'the end');
  t.match(await on.status(wearer), { status: 'stopped', reason: /connect again/ });
  t.equal(on.provider.asked.length, 1);
});
