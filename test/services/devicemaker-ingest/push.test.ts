import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { PushAnswer, pendingSentence } from '../../../contracts/devicemaker-ingest/answers.ts';
import { inboxOn } from '../../../mixins/inbox/inbox.ts';
import ingest from '../../../services/devicemaker-ingest/devicemaker-ingest.service.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { activity, runStart } from '../../fixtures/devicemaker/activities.ts';
import { daily, dayStart } from '../../fixtures/devicemaker/dailies.ts';
import { sleep as night, sleepStart, tentativeSleep } from '../../fixtures/devicemaker/sleeps.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';

const database = await freshDatabase(t);
const inbox = inboxOn(database);
const bus = { databaseUrl: database.url, natsUrl: natsUrl(), namespace: `push-${randomUUID()}` };
const { call } = await startBroker(t, { ...bus, services: [users, timeseries] });
const edge = await startBroker(t, { ...bus, services: [ingest] });
await edge.broker.waitForServices(['users', 'timeseries'], 60_000);

/** A user of ours, linked to an account of the provider. */
async function person(account = `account-${randomUUID()}`) {
  const { id } = await call('users.create', {});
  await call('users.connect', { user_id: id, provider: 'devicemaker', provider_user_id: account });
  return { id, account };
}

const receive = (body: string) =>
  inbox.receive({ provider: 'devicemaker', kind: 'push', headers: {}, body: Buffer.from(body) });

/** What the gateway does: store, call, read the answer. */
async function push(payload: unknown) {
  const delivery_id = await receive(typeof payload === 'string' ? payload : JSON.stringify(payload));
  await edge.call('devicemaker-ingest.push', { delivery_id });
  return PushAnswer.parse(await inbox.answerOf(delivery_id));
}

async function samplesOf(user: string) {
  const rows = await database.query<{ name: string; n: number }>(
    `select t.name, count(*)::int as n from timeseries.sample s
     join timeseries.series r on r.id = s.series_id join timeseries.series_type t on t.id = r.type_id
     where r.user_id = $1 group by t.name order by t.name`,
    [user],
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

const rowsOf = (table: 'workout' | 'sleep_session' | 'provider_day', user: string) =>
  database.query(`select * from timeseries.${table} where user_id = $1 order by start_time`, [user]);

t.test(
  'a deregistration ends the connections of all users who share the account, and no others',
  async (t) => {
    const shared = await person();
    const users = [shared, await person(shared.account), await person()];
    const answer = await push({ deregistrations: [{ userId: shared.account }] });
    t.match(answer.deregistrations, { revoked: 2, errors: [] });
    const statuses = [];
    for (const { id } of users) statuses.push((await call('users.connections', { user_id: id }))[0]?.status);
    t.same(statuses, ['revoked', 'revoked', 'active']);
  },
);

t.test(
  'the evening version keeps the id of the midday version; a late midday version changes nothing',
  async (t) => {
    const { id, account } = await person();
    const midday = { dailies: [daily(account, 12)] };
    await push(midday);
    t.same(await samplesOf(id), { heart_rate: 2880, resting_heart_rate: 1 });
    const [first] = await rowsOf('provider_day', id);
    t.same((await push({ dailies: [daily(account, 24)] })).wellness, { dailies: { processed: 1, saved: 1 } });
    const evening = await rowsOf('provider_day', id);
    t.match(evening, [{ id: first?.id, steps: 9600, duration_seconds: 86_400 }]);
    t.same(await samplesOf(id), { heart_rate: 5760, resting_heart_rate: 1 });
    t.same((await push(midday)).wellness, { dailies: { processed: 1, saved: 0 } });
    t.same(await rowsOf('provider_day', id), evening);
  },
);

t.test('stores two valid items around an invalid one, which is named', async (t) => {
  const { id, account } = await person();
  const answer = await push({
    activities: [
      activity(account, { activityId: 1 }),
      activity(account, { activityId: 2, startTimeInSeconds: '1748962800', summaryId: 'two' }),
      activity(account, { activityId: 3, startTimeInSeconds: runStart + 7200, steps: -5 }),
    ],
  });
  const [first, second, third] = answer.activities;
  t.match(first, {
    activity_id: '1',
    name: 'Evening run',
    type: 'RUNNING',
    garmin_user_id: account,
    internal_user_id: id,
    status: 'saved',
  });
  t.match(second, { activity_id: '2', record_ids: [], status: 'validation_error' });
  t.match(third, { activity_id: '3', status: 'saved' });
  t.same([answer.processed, answer.saved], [3, 2]);
  t.same(answer.errors, [
    'activities[1] (two): startTimeInSeconds: must be a number',
    'activities[2] (19332211001): steps: must be 0 to 1000000',
  ]);
  t.same(
    (await rowsOf('workout', id)).map((row) => row.id),
    [...(first?.record_ids ?? []), ...(third?.record_ids ?? [])],
  );
});

t.test('of 14 identical pairs stores each item once', async (t) => {
  const { id, account } = await person();
  const dailies = Array.from({ length: 14 }, (_, day) => {
    const startTimeInSeconds = dayStart - day * 86_400;
    return daily(account, 1, { startTimeInSeconds, calendarDate: null });
  });
  const runs = Array.from({ length: 14 }, (_, n) =>
    activity(account, { activityId: n + 1, startTimeInSeconds: runStart - n * 86_400 }),
  );
  const answer = await push({
    dailies: [...dailies, ...dailies],
    activities: runs.flatMap((run) => [run, run]),
  });
  t.same(answer.wellness, { dailies: { processed: 28, saved: 14 } });
  t.same([answer.processed, answer.saved], [28, 14]);
  t.same(
    answer.activities.map(({ status }) => status),
    runs.flatMap(() => ['saved', 'duplicate']),
  );
  for (let pair = 0; pair < 28; pair += 2)
    t.same(answer.activities[pair]?.record_ids, answer.activities[pair + 1]?.record_ids);
  t.equal((await rowsOf('provider_day', id)).length, 14);
  t.equal((await rowsOf('workout', id)).length, 14);
});

t.test('an activity with changed content keeps its id', async (t) => {
  const { id, account } = await person();
  const first = await push({ activities: [activity(account)] });
  const second = await push({
    activities: [activity(account, { activityName: 'Renamed', durationInSeconds: 60 })],
  });
  t.equal(second.activities[0]?.status, 'saved');
  t.same(second.activities[0]?.record_ids, first.activities[0]?.record_ids);
  t.match(await rowsOf('workout', id), [{ name: 'Renamed', duration_seconds: 60 }]);
});

t.test('a final night replaces the tentative one for good', async (t) => {
  const { id, account } = await person();
  await push({ sleeps: [tentativeSleep(account)] });
  t.same((await push({ sleeps: [night(account)] })).wellness, { sleeps: { processed: 1, saved: 1 } });
  const final = await rowsOf('sleep_session', id);
  t.match(final, [{ start_time: new Date(sleepStart * 1000), asleep_seconds: 25_200, interruptions: 2 }]);
  t.equal(final.length, 1);
  t.same((await push({ sleeps: [tentativeSleep(account)] })).wellness, {
    sleeps: { processed: 1, saved: 0 },
  });
  t.same(await rowsOf('sleep_session', id), final);
  t.same(await samplesOf(id), { oxygen_saturation: 450, respiratory_rate: 450 });
});

t.test('stores an item for each of two users who share an account, with a result each', async (t) => {
  const one = await person();
  const two = await person(one.account);
  const answer = await push({ activities: [activity(one.account)], dailies: [daily(one.account, 1)] });
  t.match(answer, { processed: 2, saved: 2, total: { processed: 4, saved: 4 } });
  t.same(answer.wellness, { dailies: { processed: 2, saved: 2 } });
  t.same(
    answer.activities.map(({ internal_user_id, status }) => [internal_user_id, status]).sort(),
    [
      [one.id, 'saved'],
      [two.id, 'saved'],
    ].sort(),
  );
  t.not(answer.activities[0]?.record_ids?.[0], answer.activities[1]?.record_ids?.[0]);
  for (const { id } of [one, two]) t.equal((await rowsOf('workout', id)).length, 1);
});

t.test('reports unknown users and items without one, and stores the others', async (t) => {
  const { account } = await person();
  const answer = await push({
    activities: [activity('nobody'), activity(account), { ...activity(account), userId: 7 }, null],
    sleeps: [night('nobody', { summaryId: 'x\u0000y' }), night('n\u0000l')],
  });
  t.same(
    answer.activities.map(({ status, garmin_user_id, internal_user_id }) => [
      status,
      garmin_user_id,
      internal_user_id === null,
    ]),
    [
      ['user_not_found', 'nobody', true],
      ['saved', account, false],
      ['validation_error', null, true],
      ['validation_error', null, true],
    ],
  );
  t.same([answer.processed, answer.saved], [4, 1]);
  t.same(answer.wellness, { sleeps: { processed: 2, saved: 0 } });
  t.same(answer.errors, [
    'activities[0] (19332211001): no user is connected to this userId',
    'activities[2] (19332211001): userId: must be a text',
    'activities[3]: must be an object',
    'sleeps[0] (xy): no user is connected to this userId',
    `sleeps[1] (${night('').summaryId}): no user is connected to this userId`,
  ]);
});

t.test('names unknown top-level keys and values that are not arrays', async (t) => {
  const { account } = await person();
  const answer = await push(
    `{"dailies":${JSON.stringify([daily(account, 1)])},"solid":[1],"__proto__":[2],"sleeps":{"a":1},"hrv":null}`,
  );
  t.same(answer.wellness, { dailies: { processed: 1, saved: 1 } });
  t.same(answer.errors, [
    'sleeps: must be an array',
    'hrv: must be an array',
    'solid: unknown data type, kept and not processed',
    '__proto__: unknown data type, kept and not processed',
  ]);
});

t.test('refuses a body that is not a JSON object, and moves it to the dead letters', async (t) => {
  for (const [body, type] of [
    ['{"dailies": [', 'MALFORMED_BODY'],
    ['[]', 'VALIDATION_FAILED'],
    ['null', 'VALIDATION_FAILED'],
  ] as const) {
    const delivery_id = await receive(body);
    await t.rejects(edge.call('devicemaker-ingest.push', { delivery_id }), refusal(type));
    t.match(await inbox.stateOf(delivery_id), { state: 'dead' });
  }
});

t.test('revokes the connection of a deregistered account after its data was stored', async (t) => {
  const { id, account } = await person();
  const answer = await push({
    activities: [activity(account)],
    deregistrations: [{ userId: account }, { userId: 'nobody' }, {}],
    userPermissionsChange: [{ userId: account, permissions: [] }],
  });
  t.equal(answer.activities[0]?.status, 'saved');
  t.same(answer.deregistrations, {
    revoked: 1,
    errors: [
      'deregistrations[1]: no user is connected to this userId',
      'deregistrations[2]: userId: must be a text',
    ],
  });
  t.same(answer.userPermissionsChange, { updated: 1, errors: [] });
  t.match(await call('users.connections', { user_id: id }), [{ status: 'revoked' }]);
  t.equal((await push({ activities: [activity(account)] })).activities[0]?.status, 'user_not_found');
});

t.test('an erased user is not found; other items of the payload are stored', async (t) => {
  const gone = await person();
  const other = await person();
  await call('timeseries.erase', { user_id: gone.id });
  const answer = await push({ activities: [activity(gone.account), activity(other.account)] });
  t.same(
    answer.activities.map(({ status }) => status),
    ['user_not_found', 'saved'],
  );
  t.same(await rowsOf('workout', gone.id), []);
});

t.test('a delivery whose process died is processed after its lease has expired', async (t) => {
  const { id, account } = await person();
  const delivery = await receive(JSON.stringify({ dailies: [daily(account, 3)] }));
  await database.query(`update deliveries.delivery set run_at = now() - interval '1 second' where id = $1`, [
    delivery,
  ]);
  await until(async () => (await inbox.stateOf(delivery))?.state === 'done');
  t.match(await inbox.answerOf(delivery), { wellness: { dailies: { processed: 1, saved: 1 } } });
  t.same(await samplesOf(id), { heart_rate: 720, resting_heart_rate: 1 });
});

t.test(
  'data of a waiting delivery is not stored for a user who connected the account meanwhile',
  async (t) => {
    const before = await person();
    const delivery = await receive(JSON.stringify({ activities: [activity(before.account)] }));
    await sleep(20);
    const after = await person(before.account);
    await database.query(
      `update deliveries.delivery set run_at = now() - interval '1 second' where id = $1`,
      [delivery],
    );
    await until(async () => (await inbox.stateOf(delivery))?.state === 'done');
    t.equal((await rowsOf('workout', before.id)).length, 1);
    t.same(await rowsOf('workout', after.id), []);
  },
);

t.test(
  'while a service is unavailable the delivery waits; it is stored when the service is back',
  async (t) => {
    const apart = { ...bus, namespace: `away-${randomUUID()}` };
    const without = await startBroker(t, { ...apart, services: [ingest, users] });
    const { id, account } = await person();
    const delivery_id = await receive(JSON.stringify({ activities: [activity(account)], mct: [{}] }));
    t.same(await without.call('devicemaker-ingest.push', { delivery_id }), { done: false });
    const soFar = PushAnswer.parse(await inbox.answerOf(delivery_id));
    t.match(soFar, { processed: 0, saved: 0, activities: [], wellness: { mct: { processed: 1, saved: 0 } } });
    t.equal(soFar.errors[0], pendingSentence);
    await database.query(`update deliveries.delivery set run_at = now() where id = $1`, [delivery_id]);
    await until(async () => (await inbox.stateOf(delivery_id))?.state === 'done');
    t.match(await inbox.answerOf(delivery_id), { processed: 1, saved: 1, activities: [{ status: 'saved' }] });
    t.equal((await rowsOf('workout', id)).length, 1);
  },
);

t.test('an item with which the store fails is named, and the others are stored', async (t) => {
  const { id, account } = await person();
  await database.query(`
    create function timeseries.poison() returns trigger language plpgsql as
      $$ begin if new.key = '666' then raise 'poison'; end if; return new; end $$;
    create trigger poison before insert on timeseries.item for each row execute function timeseries.poison()`);
  const delivery_id = await receive(
    JSON.stringify({
      activities: [1, 666, 3].map((n) => activity(account, { activityId: n, summaryId: `s${n}` })),
    }),
  );
  t.same(await edge.call('devicemaker-ingest.push', { delivery_id }), { done: false });
  const soFar = PushAnswer.parse(await inbox.answerOf(delivery_id));
  t.same(soFar.errors, [
    pendingSentence,
    'activities[1] (s666): could not be stored for now; it is tried again',
  ]);
  t.match(soFar, { processed: 2, saved: 2, activities: [{ activity_id: '1' }, { activity_id: '3' }] });
  t.equal((await rowsOf('workout', id)).length, 2);
  await database.query('drop trigger poison on timeseries.item');
  await database.query('update deliveries.delivery set run_at = now() where id = $1', [delivery_id]);
  await until(async () => (await inbox.stateOf(delivery_id))?.state === 'done');
  t.match(await inbox.answerOf(delivery_id), { processed: 3, saved: 1, errors: [] });
});

t.test('the health route returns ok', async (t) => {
  t.same(await edge.call('devicemaker-ingest.health', {}), { status: 'ok', service: 'devicemaker-webhook' });
});
