import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import t from 'tap';
import { PingAnswer, PushAnswer } from '../../../contracts/devicemaker-ingest/answers.ts';
import { inboxOn } from '../../../mixins/inbox/inbox.ts';
import ingest from '../../../services/devicemaker-ingest/devicemaker-ingest.service.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { activity, runStart } from '../../fixtures/devicemaker/activities.ts';
import { daily, dayStart, heartRateMap } from '../../fixtures/devicemaker/dailies.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';

const database = await freshDatabase(t);
const inbox = inboxOn(database);
const provider = createServer();
provider.listen(0, '127.0.0.1');
await once(provider, 'listening');
t.teardown(() => provider.close());
const address = provider.address();
const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
const { call } = await startBroker(t, {
  databaseUrl: database.url,
  services: [users, timeseries, ingest],
  settings: { DEVICEMAKER_API_URL: `${origin}/api`, DEVICEMAKER_CALLBACK_ORIGINS: origin },
});

async function person(account = `account-${randomUUID()}`) {
  const { id } = await call('users.create', {});
  await call('users.connect', { user_id: id, provider: 'devicemaker', provider_user_id: account });
  return { id, account };
}

const receive = (kind: string, body: string) =>
  inbox.receive({ provider: 'devicemaker', kind, headers: {}, body: Buffer.from(body) });

async function push(payload: object | string) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const delivery_id = await receive('push', body);
  await call('devicemaker-ingest.push', { delivery_id }, { timeout: 120_000 });
  // Work that takes longer than the bus waits goes on after the call.
  await until(async () => (await inbox.answerOf(delivery_id)) !== null, 'a push has its answer');
  return PushAnswer.parse(await inbox.answerOf(delivery_id));
}

/** A size from which a body is parsed in the parser thread. */
const padding = ' '.repeat(1024 * 1024);
const enlarged = (payload: object) => padding + JSON.stringify(payload);

const sampleCount = async (user: string) => {
  const rows = await database.query<{ n: number }>(
    `select count(*)::int as n from timeseries.sample s
     join timeseries.series r on r.id = s.series_id where r.user_id = $1`,
    [user],
  );
  return rows[0]?.n;
};

t.test('stores 200 days of 20 users from one push of 12 MB, each with its values', async (t) => {
  const people = await Promise.all(Array.from({ length: 20 }, () => person()));
  const valueAt = (n: number) => (offset: number) => 50 + ((offset / 15 + 7 * n) % 100);
  const nasty = 'é]},{"\\[\n'.repeat(5000);
  const dailies = Array.from({ length: 200 }, (_, n) =>
    daily(people[n % 20]?.account ?? '', 24, {
      startTimeInSeconds: dayStart - Math.floor(n / 20) * 86_400,
      calendarDate: null,
      steps: 1000 + n,
      timeOffsetHeartRateSamples: heartRateMap(3600, valueAt(n)),
      comment: nasty,
    }),
  );
  const body = JSON.stringify({ dailies });
  t.ok(body.length > 12_000_000);
  const answer = await push(body);
  t.same(answer.wellness, { dailies: { processed: 200, saved: 200 } });
  t.same(answer.errors, []);
  for (const [index, { id }] of people.entries()) {
    const days = await database.query<{ steps: number }>(
      'select steps from timeseries.provider_day where user_id = $1 order by start_time desc',
      [id],
    );
    t.same(
      days.map(({ steps }) => steps),
      Array.from({ length: 10 }, (_, day) => 1000 + 20 * day + index),
    );
    t.equal(await sampleCount(id), 10 * 241);
    const rates = await database.query<{ value: number }>(
      `select s.value from timeseries.sample s join timeseries.series r on r.id = s.series_id
       join timeseries.series_type y on y.id = r.type_id and y.name = 'heart_rate'
       where r.user_id = $1 order by s.ts desc`,
      [id],
    );
    const expected = Array.from({ length: 10 }, (_, day) =>
      Object.values(heartRateMap(3600, valueAt(20 * day + index))).reverse(),
    ).flat();
    t.same(
      rates.map(({ value }) => Math.round(value)),
      expected,
    );
  }
  t.same((await push(body)).wellness, { dailies: { processed: 200, saved: 0 } }, 'and again nothing changes');
});

t.test('a large body gets the same answer as a small one of the same items', async (t) => {
  const payload = (one: string, two: string) => ({
    activities: [
      activity(one, { activityId: 1, activityName: 'é'.repeat(600) }),
      activity(one, { activityId: 2, startTimeInSeconds: 'x', summaryId: 'two' }),
      activity(one, { activityId: 3, startTimeInSeconds: runStart + 7200, steps: -5 }),
      activity(one, { activityId: 1, activityName: 'é'.repeat(600) }),
      activity('nobody', { activityName: [], activityType: null, activityId: '' }),
      activity(two, { activityId: 4 }),
      { userId: 7 },
      [],
      'text',
      null,
    ],
    pulseox: [{ userId: one }, { userId: two, summaryId: 'short' }],
    dailies: [daily(one, 2, { restingHeartRateInBeatsPerMinute: 0 }), daily(one, 1), daily(two, 3)],
    sleeps: {},
    solid: [1, 2],
    userPermissionsChange: [{ userId: one, permissions: ['A'], changeTimeInSeconds: runStart }, 3],
    deregistrations: [{ userId: two }, { userId: 'nobody' }, {}],
  });
  const [a, b, c, d] = [await person(), await person(), await person(), await person()];
  const small = await push(payload(a.account, b.account));
  const large = await push(enlarged(payload(c.account, d.account)));
  const plain = (answer: PushAnswer) => ({
    ...answer,
    activities: answer.activities.map(({ record_ids, internal_user_id, garmin_user_id, ...rest }) => ({
      ...rest,
      records: record_ids?.length,
      place: [a, b, c, d].findIndex(({ id }) => id === internal_user_id) % 2,
      account: garmin_user_id === null,
    })),
  });
  t.same(plain(large), plain(small));
  t.equal(small.activities.length, 10);
  t.equal(small.placeholders, 1);
  t.match(await call('users.connections', { user_id: d.id }), [{ status: 'revoked' }]);
  t.equal(await sampleCount(c.id), await sampleCount(a.id));
});

t.test(
  'refuses a large body that is not JSON, also if only its end is invalid, and stores nothing',
  async (t) => {
    const { id, account } = await person();
    const good = JSON.stringify({ dailies: [daily(account, 1)] });
    for (const [body, type] of [
      [`${padding}${good}}`, 'MALFORMED_BODY'],
      [padding + good.slice(0, -1), 'MALFORMED_BODY'],
      [`${padding}[${good}]`, 'VALIDATION_FAILED'],
      [`${padding}null`, 'VALIDATION_FAILED'],
    ] as const) {
      const delivery_id = await receive('push', body);
      await t.rejects(call('devicemaker-ingest.push', { delivery_id }), refusal(type));
      t.match(await inbox.stateOf(delivery_id), { state: 'dead' });
    }
    t.equal(await sampleCount(id), 0);
  },
);

t.test('stores one activity of 60,000 seconds in parts, also from four deliveries at once', async (t) => {
  const people = await Promise.all(Array.from({ length: 4 }, () => person()));
  const samples = Array.from({ length: 60_000 }, (_, second) => ({
    startTimeInSeconds: runStart + second,
    heartRate: 100 + (second % 80),
    powerInWatts: 150 + (second % 200),
  }));
  const summary = { ...activity(''), durationInSeconds: 60_000, userId: undefined };
  const bodies = people.map(({ account }) => ({
    activityDetails: [{ userId: account, summaryId: 'x-detail', activityId: 9, summary, samples }],
  }));
  const answers = await Promise.all(bodies.map(push));
  for (const answer of answers)
    t.match(answer, { errors: [], wellness: { activityDetails: { processed: 1, saved: 1 } } });
  for (const { id } of people) t.equal(await sampleCount(id), 120_000);
});

t.test('stores a callback of several MB and reports invalid items', async (t) => {
  const { id, account } = await person();
  const items = [
    ...Array.from({ length: 16 }, (_, day) =>
      daily(account, 24, { startTimeInSeconds: dayStart - day * 86_400, calendarDate: null }),
    ),
    daily('stranger', 1),
    'text',
  ];
  const body = JSON.stringify(items);
  t.ok(body.length > 1_000_000);
  provider.removeAllListeners('request').on('request', (_req, res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
  });
  const pingItem = { userId: account, callbackURL: `${origin}/api/dailies?uploadStartTimeInSeconds=1` };
  const delivery_id = await receive('ping', JSON.stringify({ dailies: [pingItem] }));
  await call('devicemaker-ingest.ping', { delivery_id });
  const answer = PingAnswer.parse(await inbox.answerOf(delivery_id));
  t.match(answer.wellness.dailies, { processed: 1, saved: 16, items: [{ fetched: 16, saved: 16 }] });
  t.same(answer.wellness.dailies?.errors, [
    `dailies[0][16] (${daily('', 1).summaryId}): userId: belongs to another account`,
    'dailies[0][17]: must be an object',
  ]);
  t.equal(await sampleCount(id), 16 * 5761);
});

t.test('answers a large ping item by item', async (t) => {
  const { account } = await person();
  const delivery_id = await receive(
    'ping',
    enlarged({
      dailies: [{ userId: account, callbackURL: 'https://elsewhere.example/dailies' }, { userId: 3 }],
    }),
  );
  await call('devicemaker-ingest.ping', { delivery_id });
  const { wellness } = PingAnswer.parse(await inbox.answerOf(delivery_id));
  t.same(wellness.dailies?.errors, [
    "dailies[0]: callbackURL: must lead to the provider's API",
    'dailies[1]: userId: must be a text',
  ]);
});
