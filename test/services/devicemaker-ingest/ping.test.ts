import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { PingAnswer, PushAnswer } from '../../../contracts/devicemaker-ingest/answers.ts';
import { inboxOn } from '../../../mixins/inbox/inbox.ts';
import { dataTypes } from '../../../providers/devicemaker/data-types.ts';
import { devicemakerIngestWith } from '../../../services/devicemaker-ingest/devicemaker-ingest.service.ts';
import { pingLimits } from '../../../services/devicemaker-ingest/work/ping/work-ping.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { activity, runStart } from '../../fixtures/devicemaker/activities.ts';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { sleep as night } from '../../fixtures/devicemaker/sleeps.ts';
import { typeCases } from '../../fixtures/devicemaker/types.ts';
import { json, startCallbackServer } from '../../support/callback-server.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';

const database = await freshDatabase(t);
const inbox = inboxOn(database);
const provider = await startCallbackServer(t);
const settings = { DEVICEMAKER_API_URL: `${provider.origin}/wellness-api/rest` };
const bus = {
  ...{ databaseUrl: database.url, natsUrl: natsUrl(), settings },
  namespace: `ping-${randomUUID()}`,
};
const { call } = await startBroker(t, { ...bus, services: [users, timeseries] });
const edge = await startBroker(t, { ...bus, services: [devicemakerIngestWith(pingLimits())] });
await edge.broker.waitForServices(['users', 'timeseries'], 60_000);

/** What lies at the provider, by token. */
const lies = new Map<string, unknown>();

t.beforeEach(() => {
  provider.asked.length = 0;
  provider.answer((req, res) => {
    const token = new URL(req.url ?? '', provider.origin).searchParams.get('token') ?? '';
    if (!lies.has(token)) res.writeHead(404).end();
    else json(lies.get(token))(req, res);
  });
});

/** A user of ours, linked to an account of the provider. */
async function person(account = `account-${randomUUID()}`) {
  const { id } = await call('users.create', {});
  await connect(id, account);
  return { id, account };
}

const connect = (user_id: string, provider_user_id: string) =>
  call('users.connect', { user_id, provider: 'devicemaker', provider_user_id, scope: ['ALL'] });

/** A ping item of items that lie at the provider now. */
function pingItem(userId: string, path: string, items: unknown) {
  const token = randomUUID();
  lies.set(token, items);
  return { userId, callbackURL: `${settings.DEVICEMAKER_API_URL}/${path}?token=${token}` };
}

const receive = (body: string, kind = 'ping') =>
  inbox.receive({ provider: 'devicemaker', kind, headers: {}, body: Buffer.from(body) });

/** What the gateway does: store, call, read the answer. */
async function ping(payload: unknown) {
  const delivery_id = await receive(JSON.stringify(payload));
  await edge.call('devicemaker-ingest.ping', { delivery_id });
  return PingAnswer.parse(await inbox.answerOf(delivery_id));
}

async function push(payload: unknown) {
  const delivery_id = await receive(JSON.stringify(payload), 'push');
  await edge.call('devicemaker-ingest.push', { delivery_id });
  return PushAnswer.parse(await inbox.answerOf(delivery_id));
}

const rowsOf = (table: 'workout' | 'sleep_session' | 'provider_day', user: string) =>
  database.query(`select * from timeseries.${table} where user_id = $1 order by start_time`, [user]);

const isDone = (id: string) => async () => (await inbox.stateOf(id))?.state === 'done';

t.test('fetches and stores the items of a ping, with a full answer', async (t) => {
  const one = await person();
  const two = await person();
  const leaver = await person();
  const answer = await ping({
    activities: [
      pingItem(one.account, 'activities', [
        activity(one.account),
        activity(one.account, { activityId: 2, startTimeInSeconds: runStart + 7200 }),
      ]),
      pingItem('nobody', 'activities', [activity('nobody')]),
    ],
    dailies: [
      pingItem(one.account, 'dailies', [daily(one.account, 2)]),
      pingItem(two.account, 'dailies', [daily(two.account, 3)]),
    ],
    sleeps: [pingItem(leaver.account, 'sleeps', [night(leaver.account)])],
    userPermissionsChange: [
      {
        userId: two.account,
        summaryId: 'p',
        permissions: ['ACTIVITY_EXPORT', 'HEALTH_EXPORT'],
        changeTimeInSeconds: runStart,
      },
      { userId: 'nobody', permissions: [] },
    ],
    deregistrations: [{ userId: leaver.account }, { userId: 'nobody' }],
  });
  t.same(answer, {
    processed: 2,
    total: { processed: 5, fetched: 5, saved: 5 },
    placeholders: 0,
    errors: ['activities[1]: no user is connected to this userId'],
    activities: [
      { garmin_user_id: one.account, internal_user_id: one.id, activities_count: 2, status: 'fetched' },
      { garmin_user_id: 'nobody', internal_user_id: null, activities_count: 0, status: 'user_not_found' },
    ],
    wellness: {
      dailies: {
        processed: 2,
        saved: 2,
        errors: [],
        items: [
          {
            garmin_user_id: one.account,
            internal_user_id: one.id,
            type: 'dailies',
            fetched: 1,
            saved: 1,
          },
          {
            garmin_user_id: two.account,
            internal_user_id: two.id,
            type: 'dailies',
            fetched: 1,
            saved: 1,
          },
        ],
        new_success_users: [],
      },
      sleeps: {
        processed: 1,
        saved: 1,
        errors: [],
        items: [
          {
            garmin_user_id: leaver.account,
            internal_user_id: leaver.id,
            type: 'sleeps',
            fetched: 1,
            saved: 1,
          },
        ],
        new_success_users: [],
      },
    },
    backfill_chained: [],
    userPermissionsChange: {
      updated: 1,
      errors: ['userPermissionsChange[1]: no user is connected to this userId'],
    },
    deregistrations: {
      revoked: 1,
      errors: ['deregistrations[1]: no user is connected to this userId'],
    },
  });
  t.equal(provider.asked.length, 4, 'for an unknown user nothing is fetched');
  t.equal((await rowsOf('workout', one.id)).length, 2);
  t.match(await rowsOf('provider_day', two.id), [{ steps: 1200 }]);
  t.equal((await rowsOf('sleep_session', leaver.id)).length, 1);
  const [connection] = await call('users.connections', { user_id: one.id });
  t.type(connection?.last_synced_at, 'string');
  const [other] = await call('users.connections', { user_id: two.id });
  t.same(other?.scope, ['ACTIVITY_EXPORT', 'HEALTH_EXPORT']);
  const [left] = await call('users.connections', { user_id: leaver.id });
  t.equal(left?.status, 'revoked');
});

t.test('a repeated ping is fetched again and changes nothing', async (t) => {
  const { id, account } = await person();
  const payload = { dailies: [pingItem(account, 'dailies', [daily(account, 2)])] };
  t.match((await ping(payload)).wellness.dailies, { saved: 1, items: [{ fetched: 1, saved: 1 }] });
  const before = await rowsOf('provider_day', id);
  t.match((await ping(payload)).wellness.dailies, { saved: 0, items: [{ fetched: 1, saved: 0 }] });
  t.same(await rowsOf('provider_day', id), before);
  t.equal(provider.asked.length, 2);
});

t.test('items of each type are stored from a ping as from a push, also without their userId', async (t) => {
  const { id, account } = await person();
  const pinged = typeCases.map(({ type, items }): [string, object[]] => [
    type,
    items(account).map((item) => ({ ...item, userId: undefined })),
  ]);
  const answer = await ping(
    Object.fromEntries(pinged.map(([type, items]) => [type, [pingItem(account, type, items)]])),
  );
  const count = pinged.flatMap(([, items]) => items).length;
  t.match(answer, { errors: [], total: { processed: 16, fetched: count, saved: count } });
  const again = await push(Object.fromEntries(typeCases.map(({ type, items }) => [type, items(account)])));
  t.match(again, { errors: [], total: { processed: count, saved: 0 } });
  t.equal(again.placeholders, answer.placeholders);
  t.equal((await rowsOf('workout', id)).length, 1);
});

t.test('all 16 types are fetched under either name, and answered under the sent name', async (t) => {
  const { account } = await person();
  const names = dataTypes.flatMap(({ name, alsoSentAs }) => [name, ...alsoSentAs]);
  t.equal(dataTypes.length, 16);
  const answer = await ping(
    Object.fromEntries(names.map((name) => [name, [pingItem(account, dataNameOf(name), [])]])),
  );
  t.same(
    provider.asked.map((path) => path.replace(/\?.*/, '').split('/').at(-1)).sort(),
    names.map(dataNameOf).sort(),
  );
  t.same(answer.errors, []);
  t.equal(answer.processed, 2, 'activities and manuallyUpdatedActivities');
  const others = names.filter((name) => dataNameOf(name) !== 'activities');
  t.same(Object.keys(answer.wellness).sort(), others.sort());
  for (const name of others)
    t.match(answer.wellness[name], { processed: 1, errors: [], items: [{ type: dataNameOf(name) }] }, name);
});

function dataNameOf(key: string): string {
  const type = dataTypes.find(({ name, alsoSentAs }) => name === key || alsoSentAs.includes(key));
  return type?.name ?? key;
}

t.test('an item that occurs 14 times in a ping is fetched once', async (t) => {
  const { id, account } = await person();
  const runs = pingItem(account, 'activities', [activity(account)]);
  const days = pingItem(account, 'dailies', [daily(account, 1)]);
  const answer = await ping({
    activities: Array.from({ length: 14 }, () => runs),
    dailies: Array.from({ length: 14 }, () => days),
  });
  t.equal(provider.asked.length, 2);
  t.equal(answer.processed, 14);
  t.ok(
    answer.activities.every(({ status, activities_count }) => status === 'fetched' && activities_count === 1),
  );
  t.match(answer.wellness.dailies, { processed: 14, saved: 1, errors: [] });
  t.equal((await rowsOf('workout', id)).length, 1);
});

t.test('stores items that were fetched once for each of two users who share an account', async (t) => {
  const one = await person();
  const two = await person(one.account);
  const answer = await ping({
    activities: [pingItem(one.account, 'activities', [activity(one.account)])],
    dailies: [pingItem(one.account, 'dailies', [daily(one.account, 1)])],
  });
  t.equal(provider.asked.length, 2);
  t.same(
    answer.activities.map(({ internal_user_id, status, activities_count }) => [
      internal_user_id,
      status,
      activities_count,
    ]),
    [
      [one.id, 'fetched', 1],
      [two.id, 'fetched', 1],
    ],
  );
  t.match(answer.wellness.dailies, { processed: 1, saved: 2, items: [{ saved: 1 }, { saved: 1 }] });
  for (const { id } of [one, two]) {
    t.equal((await rowsOf('workout', id)).length, 1);
    t.equal((await rowsOf('provider_day', id)).length, 1);
  }
});

t.test('stores valid items of an answer, and reports invalid ones and those of other accounts', async (t) => {
  const { id, account } = await person();
  const other = await person();
  const answer = await ping({
    activities: [
      pingItem(account, 'activities', [
        activity(account, { activityId: 1, durationInSeconds: 'long', summaryId: 'one' }),
        activity(account, { activityId: 2 }),
        activity(other.account, { activityId: 3, summaryId: 'three' }),
        activity(account, { activityId: 4, userId: 12, summaryId: 'four' }),
        null,
      ]),
    ],
  });
  t.same(
    (await rowsOf('workout', id)).map(({ start_time }) => start_time),
    [new Date(runStart * 1000)],
  );
  t.same(await rowsOf('workout', other.id), []);
  t.same(answer.errors, [
    'activities[0][0] (one): durationInSeconds: must be a number',
    'activities[0][2] (three): userId: belongs to another account',
    'activities[0][3] (four): userId: belongs to another account',
    'activities[0][4]: must be an object',
  ]);
  t.match(answer.activities, [{ status: 'fetched', activities_count: 2 }]);
});

t.test('reports invalid items and fetches the others', async (t) => {
  const { account } = await person();
  const answer = await ping({
    dailies: [
      null,
      { callbackURL: `${settings.DEVICEMAKER_API_URL}/dailies` },
      { userId: 7, callbackURL: `${settings.DEVICEMAKER_API_URL}/dailies` },
      { userId: account },
      pingItem(account, 'dailies', [daily(account, 1)]),
      pingItem(account, 'sleeps', [daily(account, 1)]),
    ],
    activities: [{ userId: account }],
    hrv: 'none',
    solid: [],
  });
  t.same(answer.wellness.dailies?.errors, [
    'dailies[0]: must be an object',
    'dailies[1]: userId: must be a text',
    'dailies[2]: userId: must be a text',
    'dailies[3]: callbackURL: must be a text',
    'dailies[5]: callbackURL: must end in the data type',
  ]);
  t.match(answer.wellness.dailies, { processed: 6, saved: 1 });
  t.same(answer.errors, [
    'hrv: must be an array',
    'solid: unknown data type, kept and not processed',
    'activities[0]: callbackURL: must be a text',
  ]);
  t.match(answer.activities, [{ status: 'error', internal_user_id: /.{36}/, activities_count: 0 }]);
  t.equal(provider.asked.length, 1);
});

t.test('refuses a body that is not a JSON object, and moves it to the dead letters', async (t) => {
  for (const [body, type] of [
    ['{"dailies": [', 'MALFORMED_BODY'],
    ['[]', 'VALIDATION_FAILED'],
  ] as const) {
    const delivery_id = await receive(body);
    await t.rejects(edge.call('devicemaker-ingest.ping', { delivery_id }), refusal(type));
    t.match(await inbox.stateOf(delivery_id), { state: 'dead' });
  }
});

t.test('placeholders are counted once for a repeated item, also after a retry', async (t) => {
  const { account } = await person();
  const items = [daily(account, 2, { restingHeartRateInBeatsPerMinute: 0 })];
  const told = pingItem(account, 'dailies', items);
  const failing = pingItem(account, 'sleeps', [night(account)]);
  let isDown = true;
  provider.answer((req, res) => {
    if (isDown && req.url?.includes('/sleeps')) res.writeHead(500).end();
    else json(req.url?.includes('/sleeps') ? [night(account)] : items)(req, res);
  });
  const delivery_id = await receive(JSON.stringify({ dailies: [told, told], sleeps: [failing] }));
  await edge.call('devicemaker-ingest.ping', { delivery_id });
  const soFar = PingAnswer.parse(await inbox.answerOf(delivery_id));
  t.match(soFar, { placeholders: 1, wellness: { dailies: { processed: 2, errors: [] } } });
  t.match(soFar.wellness.sleeps?.items, [{ fetched: 0 }]);
  isDown = false;
  await database.query('update deliveries.delivery set run_at = now() where id = $1', [delivery_id]);
  await until(isDone(delivery_id));
  const whole = PingAnswer.parse(await inbox.answerOf(delivery_id));
  t.match(whole, { placeholders: 1, errors: [], wellness: { sleeps: { saved: 1, errors: [] } } });
});

t.test('a deregistered account is not found until it is connected again', async (t) => {
  const { id, account } = await person();
  t.match(await ping({ deregistrations: [{ userId: account }] }), { deregistrations: { revoked: 1 } });
  const told = { activities: [pingItem(account, 'activities', [activity(account)])] };
  t.match(await ping(told), { activities: [{ status: 'user_not_found', internal_user_id: null }] });
  t.match(await push({ activities: [activity(account)] }), { activities: [{ status: 'user_not_found' }] });
  t.match(await push({ deregistrations: [{ userId: account }] }), {
    deregistrations: { revoked: 0, errors: [/no user is connected/] },
  });
  t.equal(provider.asked.length, 0);
  await connect(id, account);
  t.match(await ping(told), { activities: [{ status: 'fetched', internal_user_id: id }] });
  t.equal((await rowsOf('workout', id)).length, 1);
});

t.test('items from before a new connection are not fetched for it', async (t) => {
  const { id, account } = await person();
  const delivery = await receive(
    JSON.stringify({ activities: [pingItem(account, 'activities', [activity(account)])] }),
  );
  await call('users.disconnect', { user_id: id, provider: 'devicemaker' });
  await sleep(20);
  await connect(id, account);
  await database.query(`update deliveries.delivery set run_at = now() where id = $1`, [delivery]);
  await until(isDone(delivery));
  t.match(await inbox.answerOf(delivery), { activities: [{ status: 'user_not_found' }] });
  t.equal(provider.asked.length, 0);
});

t.test('sets the scope by the time of the change, in any order of arrival', async (t) => {
  const { id, account } = await person();
  const scope = async () => (await call('users.connections', { user_id: id }))[0]?.scope;
  const change = (permissions: unknown, changeTimeInSeconds?: unknown) => ({
    userPermissionsChange: [{ userId: account, permissions, changeTimeInSeconds }],
  });
  t.match(await push(change(['A', 'B', 'A'], 1000000002)), {
    userPermissionsChange: { updated: 1, errors: [] },
  });
  t.same(await scope(), ['A', 'B']);
  t.match(await ping(change({ A: true, B: false, C: true }, 1000000003)), {
    userPermissionsChange: { updated: 1, errors: [] },
  });
  t.same(await scope(), ['A', 'C']);
  t.match(await ping(change(['OLD'], 1000000001)), { userPermissionsChange: { updated: 0, errors: [] } });
  t.same(await scope(), ['A', 'C'], 'an older one does not overwrite a newer one');
  t.match(await ping(change({ A: true, B: false, C: true }, 1000000003)), {
    userPermissionsChange: { updated: 0, errors: [] },
  });
  t.match(await push(change([], 1000000004)), { userPermissionsChange: { updated: 1 } });
  t.same(await scope(), []);
  t.match(await push(change(['NOW'])), { userPermissionsChange: { updated: 1 } });
  t.same(await scope(), ['NOW'], 'one without a time is of now');
  t.match(await push(change(['LATE'], 1000000005)), { userPermissionsChange: { updated: 0 } });
});

t.test('of several changes in one delivery the newest counts, for all users of the account', async (t) => {
  const one = await person();
  const two = await person(one.account);
  const at = (changeTimeInSeconds: number, ...permissions: string[]) => ({
    ...{ userId: one.account, permissions, changeTimeInSeconds },
  });
  const answer = await push({
    userPermissionsChange: [at(1000000001, 'A'), at(1000000009, 'NEWEST'), at(1000000005, 'C')],
  });
  t.same(answer.userPermissionsChange, { updated: 2, errors: [] });
  for (const { id } of [one, two])
    t.same((await call('users.connections', { user_id: id }))[0]?.scope, ['NEWEST']);
});

t.test('reports invalid permission changes and applies none of them', async (t) => {
  const { id, account } = await person();
  const of = (more: Record<string, unknown>) => ({ userId: account, permissions: ['X'], ...more });
  const answer = await push({
    userPermissionsChange: [
      of({ permissions: undefined }),
      of({ permissions: 'ALL' }),
      of({ permissions: [1] }),
      of({ permissions: { A: 'yes' } }),
      of({ permissions: ['a\u0000b'] }),
      of({ permissions: Array.from({ length: 101 }, (_, n) => `P${n}`) }),
      of({ changeTimeInSeconds: 'yesterday' }),
      of({ changeTimeInSeconds: 4102444800 }),
      of({ userId: 3 }),
      null,
    ],
  });
  t.equal(answer.userPermissionsChange?.updated, 0);
  t.equal(answer.userPermissionsChange?.errors.length, 10);
  t.match(
    answer.userPermissionsChange?.errors[7],
    'userPermissionsChange[7]: changeTimeInSeconds: is before',
  );
  t.same((await call('users.connections', { user_id: id }))[0]?.scope, ['ALL']);
});

t.test('a change from before a new connection does not count for it', async (t) => {
  const { id, account } = await person();
  const change = (userId: string, changeTimeInSeconds: number, ...permissions: string[]) =>
    push({ userPermissionsChange: [{ userId, permissions, changeTimeInSeconds }] });
  await change(account, 1000000009, 'NEW');
  await call('users.disconnect', { user_id: id, provider: 'devicemaker' });
  await connect(id, account);
  t.match(await change(account, 1000000001, 'OLD'), { userPermissionsChange: { updated: 0 } });
  t.same((await call('users.connections', { user_id: id }))[0]?.scope, ['ALL']);
  await call('users.disconnect', { user_id: id, provider: 'devicemaker' });
  const another = `account-${randomUUID()}`;
  await connect(id, another);
  t.match(await change(another, 1000000001, 'OTHER'), { userPermissionsChange: { updated: 1 } });
});
