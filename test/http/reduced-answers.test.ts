import { randomBytes, randomUUID } from 'node:crypto';
import t from 'tap';
import { type Answer, createUser, joinApi, type TestApi } from '../support/api.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

const secrets = {
  devicemaker: 'devicemaker-secret-of-the-tests-0001',
  activitynet: 'activitynet_secret_of_the_tests_0001',
};
/** A port on which no server listens. */
const away = 'http://127.0.0.1:9';
const joined = {
  database: await freshDatabase(t),
  natsUrl: natsUrl(),
  namespace: `reduced-${randomBytes(6).toString('hex')}`,
  settings: {
    ...{ RATE_LIMIT_ADDRESS: '100000', DEVICEMAKER_CLIENT_SECRET: 'x', ACTIVITYNET_CLIENT_SECRET: 'x' },
    ACTIVITYNET_SUBSCRIPTION_ID: '1',
    ...{ DEVICEMAKER_API_URL: `${away}/rest`, ACTIVITYNET_API_URL: away },
    ...{ WEBHOOK_SECRET_DEVICEMAKER: secrets.devicemaker, WEBHOOK_SECRET_ACTIVITYNET: secrets.activitynet },
  },
};
const rest = ['api-gateway', 'auth', 'users', 'timeseries', 'summaries'];
await joinApi(t, { ...joined, services: rest });
const api = await joinApi(t, {
  ...joined,
  services: ['api-gateway', 'devicemaker-ingest', 'activitynet-ingest', 'backfill', 'connect', 'deliveries'],
});
const { database } = api;

const paths = {
  push: '/api/v1/webhooks/devicemaker/push',
  ping: '/api/v1/webhooks/devicemaker/ping',
  event: '/api/v1/webhooks/activitynet/webhook',
} as const;
type Kind = keyof typeof paths;

const send = (kind: Kind, body: unknown, secret = ''): Promise<Answer> =>
  api.ask(`${paths[kind]}${secret}`, { body, headers: { 'devicemaker-client-id': 'tests' } });

async function member(provider: 'devicemaker' | 'activitynet', account: string): Promise<string> {
  const userId = await createUser(api);
  const body = { provider, provider_user_id: account };
  await api.expect(201, `/users/${userId}/connections`, { body });
  return userId;
}

const start = Date.UTC(2026, 2, 1) / 1000;
const items = (userId: string) => ({
  activities: [
    {
      ...{ userId, summaryId: 'a1', activityId: 17, activityName: 'Lunch', activityType: 'RUNNING' },
      ...{ startTimeInSeconds: start + 36_000, startTimeOffsetInSeconds: 0, durationInSeconds: 1800 },
      ...{ deviceName: 'Watch', distanceInMeters: 5000 },
    },
    { summaryId: 'nobody said whose' },
  ],
  dailies: [
    {
      ...{ userId, summaryId: 'd1', calendarDate: '2026-03-01', startTimeInSeconds: start },
      ...{ startTimeOffsetInSeconds: 0, durationInSeconds: 86_400, steps: 4321 },
    },
    { userId, summaryId: 'd2', steps: 'many' },
  ],
  userPermissionsChange: [{ userId, permissions: ['A'] }, { userId }],
});
const notices = (userId: string) => ({
  activities: [{ userId, callbackURL: 'https://elsewhere.example/x' }, {}],
  sleeps: [{ userId, callbackURL: `${away}/rest/sleeps?token=x` }],
  deregistrations: [{ userId }, { userId: `${userId} too` }, {}],
});
const event = (account: string, more = {}) => ({
  ...{ object_type: 'activity', object_id: 5, aspect_type: 'create', owner_id: Number(account) },
  ...{ subscription_id: 1, event_time: Math.floor(Date.now() / 1000), updates: {} },
  ...more,
});

/** The answer with everything that the sender itself named left out. */
const withoutNames = ({ text }: Answer, account: string) => text.replaceAll(account, 'ACCOUNT');

t.test('a push gets the same answer for a known and an unknown account, and is stored', async (t) => {
  const [known, unknown] = [randomUUID(), randomUUID()];
  const userId = await member('devicemaker', known);
  const [first, second] = [await send('push', items(known)), await send('push', items(unknown))];
  t.equal(first.status, 200);
  t.equal(withoutNames(first, known), withoutNames(second, unknown));
  t.notMatch(first.text, userId);
  t.same(first.body, {
    ...{ processed: 2, saved: 0, total: { processed: 4, saved: 0 }, placeholders: 0 },
    errors: [
      'The outcome of the items is returned on the secret webhook address only.',
      'activities[1] (nobody said whose): userId: must be a text',
    ],
    activities: [
      {
        ...{ activity_id: '17', name: 'Lunch', type: 'RUNNING', garmin_user_id: known },
        ...{ internal_user_id: null, record_ids: null, status: 'accepted' },
      },
      {
        ...{ activity_id: 'nobody said whose', name: null, type: null, garmin_user_id: null },
        ...{ internal_user_id: null, record_ids: null, status: 'validation_error' },
      },
    ],
    wellness: { dailies: { processed: 2, saved: 0 } },
    backfill_chained: [],
    userPermissionsChange: {
      updated: 1,
      errors: [
        'userPermissionsChange[1]: permissions: must be a list of names, or a map from names to true or false',
      ],
    },
  });
  const stored = () => database.query('select from timeseries.workout where user_id = $1', [userId]);
  await until(async () => (await stored()).length === 1, 'what was sent is stored');
  const again = await send('push', items(known));
  t.equal(again.text, first.text, 'that it came before is not told either');
});

t.test('a ping gets the same answer for a known and an unknown account', async (t) => {
  const [known, unknown] = [randomUUID(), randomUUID()];
  const userId = await member('devicemaker', known);
  const [first, second] = [await send('ping', notices(known)), await send('ping', notices(unknown))];
  t.equal(withoutNames(first, known), withoutNames(second, unknown));
  t.match(first.body, {
    activities: [{ garmin_user_id: known, internal_user_id: null, status: 'accepted' }, { status: 'error' }],
    wellness: {
      sleeps: { processed: 1, saved: 0, items: [{ internal_user_id: null }], new_success_users: [] },
    },
    deregistrations: { revoked: 2, errors: ['deregistrations[2]: userId: must be a text'] },
  });
  const [connection] = await api.database.query('select status from users.connection where user_id = $1', [
    userId,
  ]);
  await until(
    async () => {
      const rows = await database.query<{ status: string }>(
        'select status from users.connection where user_id = $1',
        [userId],
      );
      return rows[0]?.status === 'revoked';
    },
    () => `the account has left, from ${JSON.stringify(connection)}`,
  );
});

t.test('an event gets the same answer for known and unknown accounts and for any subscription', async (t) => {
  const [known, unknown] = ['7000000001', '7000000002'];
  const userId = await member('activitynet', known);
  const texts = [
    await send('event', event(known)),
    await send('event', event(known)),
    await send('event', event(unknown)),
    await send(
      'event',
      event(known, { object_type: 'athlete', aspect_type: 'update', updates: { private: 'x' } }),
    ),
    await send('event', event(known, { aspect_type: 'delete' })),
    await send('event', event(known, { subscription_id: 2 })),
  ].map(({ status, text }) => [status, text]);
  t.equal(new Set(texts.map(String)).size, 1);
  t.match(texts[0], [200, /"status":"accepted"/]);
  t.match((await send('event', { a: 1 })).body, { status: 'skipped' }, 'that it is no event is told');
  const noted = () => database.query('select from activitynet.activity where user_id = $1', [userId]);
  await until(async () => (await noted()).length === 1);
});

t.test('the secret address returns the full answer', async (t) => {
  const [known, unknown] = [randomUUID(), randomUUID()];
  const userId = await member('devicemaker', known);
  const at = `/${secrets.devicemaker}`;
  t.match((await send('push', items(known), at)).body, {
    saved: 1,
    activities: [{ internal_user_id: userId, record_ids: [String], status: 'saved' }, {}],
  });
  t.match((await send('push', items(unknown), at)).body, {
    saved: 0,
    activities: [{ internal_user_id: null, record_ids: [], status: 'user_not_found' }, {}],
  });
  const owner = '7000000003';
  const ownerId = await member('activitynet', owner);
  const told = await send('event', event(owner), `/${secrets.activitynet}`);
  t.match(told.body, { status: 'processed', message: new RegExp(ownerId) });
  const another = await send('event', event(owner, { subscription_id: 2 }), `/${secrets.activitynet}`);
  t.same(another.body, { status: 'skipped', message: 'The event is of another subscription.' });
});

/** Blocks look-ups of connections until the returned function is called. */
async function lockConnections(on: TestApi): Promise<() => Promise<void>> {
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const done = on.database.transaction(async (transaction) => {
    await transaction.query('lock table users.connection in access exclusive mode');
    isLocked();
    await opened;
  });
  await locked;
  return async () => {
    open();
    await done;
  };
}

t.test('the answer is sent before accounts are looked up, so its time reveals nothing', async (t) => {
  const known = randomUUID();
  await member('devicemaker', known);
  await member('activitynet', '7000000004');
  const newest = () =>
    database.query<{ state: string }>(
      'select state from deliveries.delivery order by received_at desc limit 3',
    );
  const unlock = await lockConnections(api);
  try {
    t.match((await send('push', items(known))).body, { activities: [{ status: 'accepted' }, {}] });
    t.match((await send('ping', notices(known))).body, { activities: [{ status: 'accepted' }, {}] });
    t.match((await send('event', event('7000000004'))).body, { status: 'accepted' });
    const states = (await newest()).map(({ state }) => state);
    t.same(states, ['working', 'working', 'working'], 'the work is not done yet');
  } finally {
    await unlock();
  }
  const pushes = () =>
    database.query(`select from deliveries.delivery where state <> 'done' and kind in ('push', 'event')`);
  await until(async () => (await pushes()).length === 0, 'it goes on behind');
});

t.test('the answer lists the first thousand items, also of a known account', async (t) => {
  const [known, unknown] = [randomUUID(), randomUUID()];
  await member('devicemaker', known);
  const many = (userId: string) => ({
    activities: Array.from({ length: 1200 }, () => ({ userId })),
    sleeps: [{ userId }],
  });
  for (const kind of ['push', 'ping'] as const) {
    const [first, second] = [await send(kind, many(known)), await send(kind, many(unknown))];
    t.equal(withoutNames(first, known), withoutNames(second, unknown));
    const { processed, total, errors, activities } = Object(first.body);
    t.same([processed, total.processed, activities.length], [1200, 1201, 1000]);
    t.match(errors, [
      /secret webhook address/,
      /200 more items are not listed/,
      /1 more items are not listed/,
    ]);
  }
});

t.test('an invalid body is refused as on the secret address', async (t) => {
  t.equal((await send('push', '{')).status, 400);
  t.equal((await send('push', '[]')).status, 422);
});
