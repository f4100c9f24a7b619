import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { PingAnswer, pendingSentence } from '../../../contracts/devicemaker-ingest/answers.ts';
import { inboxOn } from '../../../mixins/inbox/inbox.ts';
import deliveries from '../../../services/deliveries/deliveries.service.ts';
import { devicemakerIngestWith } from '../../../services/devicemaker-ingest/devicemaker-ingest.service.ts';
import { type PingLimits, pingLimits } from '../../../services/devicemaker-ingest/work/ping/work-ping.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { activity, runStart } from '../../fixtures/devicemaker/activities.ts';
import { daily, dayStart } from '../../fixtures/devicemaker/dailies.ts';
import { type Answering, json, startCallbackServer } from '../../support/callback-server.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';

const database = await freshDatabase(t);
const inbox = inboxOn(database);
const provider = await startCallbackServer(t);
const api = `${provider.origin}/wellness-api/rest`;
const setting = { databaseUrl: database.url, settings: { DEVICEMAKER_API_URL: api } };
const quick: PingLimits = { ...pingLimits(), totalMs: 1500, deadlineMs: 4000, mostBytes: 200_000 };
const { call, broker } = await startBroker(t, {
  ...setting,
  services: [users, timeseries, deliveries, devicemakerIngestWith(quick)],
});
await broker.waitForServices(['users', 'timeseries'], 60_000);

/** The data at the provider, by the path after the API's prefix. */
const lies = new Map<string, unknown>();
const honest: Answering = (req, res) => json(lies.get(pathOf(req.url)))(req, res);

function pathOf(url = ''): string {
  return url.replace('/wellness-api/rest/', '');
}

t.beforeEach(() => {
  provider.asked.length = 0;
  provider.answer(honest);
});

async function person(account = `account-${randomUUID()}`) {
  const { id } = await call('users.create', {});
  await call('users.connect', { user_id: id, provider: 'devicemaker', provider_user_id: account });
  return { id, account };
}

let tokens = 0;

/** A ping item of items that lie at the provider. */
function pingItem(userId: string, type: string, items: unknown) {
  tokens += 1;
  const path = `${type}?token=${tokens}`;
  lies.set(path, items);
  return { userId, callbackURL: `${api}/${path}` };
}

const receive = (payload: unknown) =>
  inbox.receive({
    ...{ provider: 'devicemaker', kind: 'ping', headers: {} },
    body: Buffer.from(JSON.stringify(payload)),
  });

async function ping(payload: unknown, by = call) {
  const delivery_id = await receive(payload);
  const { done } = await by('devicemaker-ingest.ping', { delivery_id });
  return { delivery_id, done, answer: await answerOf(delivery_id) };
}

const answerOf = async (id: string) => PingAnswer.parse(await inbox.answerOf(id));

interface DeliveryRow {
  state: string;
  error: string | null;
  attempts: number;
  max_attempts: number;
  wait_seconds: number;
}

async function rowOf(id: string): Promise<DeliveryRow | undefined> {
  const [row] = await database.query<DeliveryRow>(
    `select state, error, attempts, max_attempts, extract(epoch from run_at - now())::float8 as wait_seconds
     from deliveries.delivery where id = $1`,
    [id],
  );
  return row;
}

const hurry = (id: string) =>
  database.query(`update deliveries.delivery set run_at = now() where id = $1 and state = 'ready'`, [id]);

/** Lets no time pass until a delivery is done. */
const untilDone = (id: string) =>
  until(async () => {
    await hurry(id);
    return (await rowOf(id))?.state === 'done';
  });

const daysOf = async (user: string) =>
  (await database.query('select steps from timeseries.provider_day where user_id = $1', [user])).length;

const workoutsOf = async (user: string) =>
  (await database.query('select id from timeseries.workout where user_id = $1', [user])).length;

const status =
  (code: number, headers: Record<string, string> = {}): Answering =>
  (_req, res) =>
    void res.writeHead(code, headers).end('[]');

const body =
  (text: string, headers: Record<string, string> = {}): Answering =>
  (_req, res) =>
    void res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);

const endless: Answering = (_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (res.writable && res.write(`[${' '.repeat(65_536)}`));
  };
  res.on('drain', more);
  more();
};

const half: Answering = (_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
  res.write('[{"userId":', () => res.destroy());
};

const failures: readonly (readonly [string, Answering, string])[] = [
  ['500', status(500), 'the provider answered 500'],
  ['503', status(503), 'the provider answered 503'],
  ['401', status(401), 'the provider answered 401'],
  ['429', status(429), 'the provider answered 429'],
  ['nothing in time', () => undefined, 'the provider did not answer in time'],
  ['no answer', (req) => void req.socket.destroy(), 'the provider could not be reached'],
  ['garbage', body('<html>'), 'the answer is no list in JSON'],
  ['an object', body('{"error":"x"}'), 'the answer is no list in JSON'],
  ['another type', body('[]', { 'content-type': 'text/html' }), 'the answer is not JSON'],
  ['half a body', half, 'the answer broke off'],
  ['an endless body', endless, 'the answer is larger than 200000 bytes'],
  [
    'a redirect',
    status(302, { location: `${api}/dailies` }),
    'the provider answered with a redirect, which is not followed',
  ],
];

t.test('requests are retried after any temporary failure until the data is stored', async (t) => {
  const trials = await Promise.all(
    failures.map(async ([name, answering, sentence]) => {
      const { id, account } = await person();
      const dailies = [pingItem(account, 'dailies', [daily(account, 1)])];
      const activities = [pingItem(account, 'activities', [activity(account)])];
      return { name, answering, sentence, id, payload: { dailies, activities } };
    }),
  );
  const trialOf = (url?: string) =>
    trials.find(({ payload }) => JSON.stringify(payload).includes(`${api}/${pathOf(url)}"`));
  provider.answer((req, res) => trialOf(req.url)?.answering(req, res));
  const failed = await Promise.all(trials.map(({ payload }) => ping(payload)));
  const asked = (name: string) => provider.asked.filter((url) => trialOf(url)?.name === name).length;
  const before = trials.map(({ name }) => asked(name));
  provider.answer(honest);
  for (const [index, { name, sentence, id }] of trials.entries()) {
    const { delivery_id = '', done, answer } = failed[index] ?? {};
    t.equal(done, false, name);
    t.match(answer, { processed: 0, activities: [{ activities_count: 0, internal_user_id: id }] });
    t.match(answer?.wellness.dailies, { processed: 0, saved: 0, items: [{ fetched: 0, saved: 0 }] });
    const said = [...(answer?.errors ?? []), ...(answer?.wellness.dailies?.errors ?? [])];
    t.equal(said[0], pendingSentence);
    t.ok(said.includes(`dailies[0]: ${sentence}; it is tried again`), sentence);
    await untilDone(delivery_id);
    t.match(await answerOf(delivery_id), {
      processed: 1,
      errors: [],
      activities: [{ status: 'fetched', activities_count: 1 }],
      wellness: { dailies: { processed: 1, saved: 1, errors: [], items: [{ fetched: 1, saved: 1 }] } },
    });
    t.equal(asked(name), (before[index] ?? 0) + 2, 'each once more');
    t.same([await daysOf(id), await workoutsOf(id)], [1, 1]);
  }
});

t.test('a permanent refusal is final', async (t) => {
  const { id, account } = await person();
  for (const code of [400, 403, 404, 410]) {
    provider.answer(status(code));
    const { done, answer } = await ping({ activities: [pingItem(account, 'activities', [])] });
    t.ok(done);
    t.match(answer, { processed: 1, activities: [{ status: 'error', internal_user_id: id }] });
    t.same(answer.errors, [`activities[0]: the provider answered ${code}`]);
  }
  t.equal(provider.asked.length, 4);
});

t.test('a fetched item is not fetched again when another one is retried', async (t) => {
  const one = await person();
  const two = await person();
  provider.answer((req, res) => (req.url?.includes('/dailies') ? status(500) : honest)(req, res));
  const { delivery_id, answer } = await ping({
    activities: [pingItem(one.account, 'activities', [activity(one.account)])],
    dailies: [pingItem(two.account, 'dailies', [daily(two.account, 1)])],
    sleeps: [pingItem('nobody', 'sleeps', [])],
  });
  t.match(answer.activities, [{ status: 'fetched', activities_count: 1 }]);
  t.equal(await workoutsOf(one.id), 1);
  await untilAttempts(delivery_id, 3);
  provider.answer(honest);
  await untilDone(delivery_id);
  const asked = (type: string) => provider.asked.filter((path) => path.includes(`/${type}?`)).length;
  t.equal(asked('activities'), 1);
  t.ok(asked('dailies') >= 4, 'three times for nothing, and once more');
  t.match(await answerOf(delivery_id), {
    activities: [{ status: 'fetched', activities_count: 1, internal_user_id: one.id }],
    wellness: {
      dailies: { saved: 1, errors: [] },
      sleeps: { processed: 1, errors: [/no user is connected/] },
    },
  });
  t.equal(await daysOf(two.id), 1);
});

const untilAttempts = (id: string, attempts: number) =>
  until(async () => {
    await hurry(id);
    const row = await rowOf(id);
    return row?.state === 'ready' && row.attempts >= attempts;
  });

t.test('429 ends the round, and Retry-After is obeyed', async (t) => {
  const { account } = await person();
  provider.answer(status(429, { 'retry-after': '3600' }));
  const { delivery_id, answer } = await ping({
    activities: [1, 2, 3].map((n) => pingItem(account, 'activities', [activity(account, { activityId: n })])),
  });
  t.equal(provider.asked.length, 1, 'the others are not asked for');
  t.same(
    answer.activities.map(({ status }) => status),
    ['error', 'queued', 'queued'],
  );
  const row = await rowOf(delivery_id);
  t.match(row, { state: 'ready', error: 'PROVIDER_BUSY' });
  t.ok((row?.wait_seconds ?? 0) > 3500 && (row?.wait_seconds ?? 0) < 3700);
});

t.test('a repeatedly failing provider is paused', async (t) => {
  const people = await Promise.all(Array.from({ length: 30 }, () => person()));
  provider.answer(status(500));
  const { delivery_id, answer } = await ping({
    dailies: people.map(({ account }) => pingItem(account, 'dailies', [daily(account, 1)])),
  });
  t.ok(provider.asked.length >= 8 && provider.asked.length <= 11, 'at most those that were under way');
  t.equal(answer.wellness.dailies?.errors.length, provider.asked.length);
  t.equal(answer.wellness.dailies?.items.length, 30);
  provider.answer(honest);
  await untilDone(delivery_id);
  t.match((await answerOf(delivery_id)).wellness.dailies, { processed: 30, saved: 30, errors: [] });
});

t.test('single failures between successes cause no pause', async (t) => {
  const people = await Promise.all(Array.from({ length: 30 }, () => person()));
  let asked = 0;
  provider.answer((req, res) => {
    asked += 1;
    if (asked % 2 === 0) status(500)(req, res);
    else honest(req, res);
  });
  const { delivery_id, answer } = await ping({
    dailies: people.map(({ account }) => pingItem(account, 'dailies', [daily(account, 1)])),
  });
  t.equal(asked, 30, 'half of them fail, and never eight in a row');
  t.match(answer.wellness.dailies, { saved: 15 });
  provider.answer(honest);
  await untilDone(delivery_id); // otherwise the failed items are fetched again during later tests
  t.match((await answerOf(delivery_id)).wellness.dailies, { saved: 30, errors: [] });
});

t.test('work that is not done within the sender’s time continues in the background', async (t) => {
  const limits = { ...pingLimits(), deadlineMs: 1500, atOnce: 2 };
  const slow = await startBroker(t, {
    ...setting,
    services: [devicemakerIngestWith(limits), users, timeseries],
  });
  const people = await Promise.all(Array.from({ length: 4 }, () => person()));
  const [first] = people;
  provider.answer((req, res) => {
    if (req.url?.endsWith(`token=${tokens - 3}`)) honest(req, res);
  });
  const { delivery_id, done, answer } = await ping(
    { activities: people.map(({ account }) => pingItem(account, 'activities', [activity(account)])) },
    slow.call,
  );
  t.notOk(done);
  t.match(answer, { processed: 1, errors: [pendingSentence] });
  t.same(
    answer.activities.map(({ status }) => status),
    ['fetched', 'queued', 'queued', 'queued'],
  );
  t.equal(await workoutsOf(first?.id ?? ''), 1);
  t.match(await rowOf(delivery_id), { error: 'FETCH_QUEUED' });
  provider.answer(honest);
  await untilDone(delivery_id);
  t.match(await answerOf(delivery_id), { processed: 4, errors: [], activities: [{ status: 'fetched' }] });
  for (const { id } of people) t.equal(await workoutsOf(id), 1);
  t.equal(provider.asked.filter((path) => path === provider.asked[0]).length, 1);
});

t.test('a long ping continues in slices that count no attempts', async (t) => {
  const limits = { ...pingLimits(), deadlineMs: 0, sliceMs: 300, atOnce: 1 };
  const own = await freshDatabase(t);
  const inbox = inboxOn(own);
  const sliced = await startBroker(t, {
    ...{ ...setting, databaseUrl: own.url },
    services: [devicemakerIngestWith(limits), users, timeseries],
  });
  const { id } = await sliced.call('users.create', {});
  await sliced.call('users.connect', { user_id: id, provider: 'devicemaker', provider_user_id: 'sliced' });
  provider.answer((req, res) => void setTimeout(() => honest(req, res), 100));
  const runs = Array.from({ length: 5 }, (_, n) =>
    pingItem('sliced', 'activities', [
      activity('sliced', { activityId: n + 1, startTimeInSeconds: runStart + 7200 * n }),
    ]),
  );
  const delivery_id = await inbox.receive({
    ...{ provider: 'devicemaker', kind: 'ping', headers: {} },
    body: Buffer.from(JSON.stringify({ activities: runs })),
  });
  t.same(await sliced.call('devicemaker-ingest.ping', { delivery_id }), { done: false });
  t.match(await inbox.answerOf(delivery_id), { processed: 0, activities: [{ status: 'queued' }] });
  await until(async () => {
    await own.query(`update deliveries.delivery set run_at = now() where state = 'ready'`);
    return (await inbox.stateOf(delivery_id))?.state === 'done';
  });
  t.match(await inbox.answerOf(delivery_id), { processed: 5, errors: [] });
  const [row] = await own.query<{ max_attempts: number }>('select max_attempts from deliveries.delivery');
  t.ok((row?.max_attempts ?? 0) > 16);
  const rows = await own.query('select id from timeseries.workout where user_id = $1', [id]);
  t.equal(rows.length, 5);
});

t.test('data that was fetched while storing failed is stored later without another fetch', async (t) => {
  const without = await startApart(t, false);
  const { id, account } = await without.person('account');
  const { delivery_id, answer } = await without.ping({
    dailies: [pingItem(account, 'dailies', [daily(account, 1)])],
    deregistrations: [{ userId: account }],
  });
  t.match(answer.wellness.dailies, { processed: 0, items: [{ fetched: 0, saved: 0 }] });
  t.equal(answer.errors[0], pendingSentence);
  t.same(answer.deregistrations, { revoked: 0, errors: [] }, 'who left is kept until the data is stored');
  t.equal(provider.asked.length, 1);
  await without.stop();
  const whole = await startApart(t, true, without.database);
  await whole.untilDone(delivery_id);
  t.equal(provider.asked.length, 1);
  t.match(await whole.answerOf(delivery_id), {
    wellness: {
      dailies: { processed: 1, saved: 1, items: [{ fetched: 1, saved: 1, internal_user_id: id }] },
    },
    deregistrations: { revoked: 1, errors: [] },
  });
});

/** The services in a database of their own, with or without the one that stores. */
async function startApart(t: Test, isWhole: boolean, given?: Awaited<ReturnType<typeof freshDatabase>>) {
  const own = given ?? (await freshDatabase(t));
  const inbox = inboxOn(own);
  const ingest = devicemakerIngestWith(quick);
  const services = isWhole ? [users, timeseries, ingest] : [users, ingest];
  const { call, broker } = await startBroker(t, { ...setting, databaseUrl: own.url, services });
  const answer = async (id: string) => PingAnswer.parse(await inbox.answerOf(id));
  return {
    database: own,
    stop: () => broker.stop(),
    answerOf: answer,
    async person(account: string) {
      const { id } = await call('users.create', {});
      await call('users.connect', { user_id: id, provider: 'devicemaker', provider_user_id: account });
      return { id, account };
    },
    async ping(payload: unknown) {
      const delivery_id = await inbox.receive({
        ...{ provider: 'devicemaker', kind: 'ping', headers: {} },
        body: Buffer.from(JSON.stringify(payload)),
      });
      await call('devicemaker-ingest.ping', { delivery_id });
      return { delivery_id, answer: await answer(delivery_id) };
    },
    untilDone: (id: string) =>
      until(async () => {
        await own.query(`update deliveries.delivery set run_at = now() where state = 'ready'`);
        return (await inbox.stateOf(id))?.state === 'done';
      }),
  };
}

t.test('deregistrations are applied while fetching fails, and reported once', async (t) => {
  const { id, account } = await person();
  const other = await person();
  provider.answer(status(500));
  const { delivery_id, answer } = await ping({
    dailies: [
      pingItem(account, 'dailies', [daily(account, 1)]),
      pingItem(other.account, 'dailies', [daily(other.account, 1)]),
    ],
    deregistrations: [{ userId: account }],
    userPermissionsChange: [{ userId: other.account, permissions: ['A'], changeTimeInSeconds: dayStart }],
  });
  const special = {
    deregistrations: { revoked: 1, errors: [] },
    userPermissionsChange: { updated: 1, errors: [] },
  };
  t.match(answer, special);
  t.match(await call('users.connections', { user_id: id }), [{ status: 'revoked' }]);
  provider.answer(honest);
  await untilDone(delivery_id);
  t.match(await answerOf(delivery_id), {
    ...special,
    wellness: {
      dailies: { processed: 2, saved: 1, errors: ['dailies[0]: no user is connected to this userId'] },
    },
  });
  t.same([await daysOf(id), await daysOf(other.id)], [0, 1]);
});

t.test('a replay uses fetched data and requests only refused items again', async (t) => {
  const { id, account } = await person();
  provider.answer((req, res) => (req.url?.includes('/activities') ? status(404) : honest)(req, res));
  const { delivery_id, done, answer } = await ping({
    activities: [pingItem(account, 'activities', [activity(account)])],
    dailies: [pingItem(account, 'dailies', [daily(account, 1)])],
  });
  t.ok(done);
  t.match(answer, { activities: [{ status: 'error' }], wellness: { dailies: { saved: 1 } } });
  provider.answer(honest);
  await call('deliveries.replay', { delivery_id });
  await untilDone(delivery_id);
  t.same(
    provider.asked
      .map(pathOf)
      .map((path) => path.replace(/\?.*/, ''))
      .sort(),
    ['activities', 'activities', 'dailies'],
  );
  t.match(await answerOf(delivery_id), {
    activities: [{ status: 'fetched', activities_count: 1 }],
    wellness: { dailies: { processed: 1, saved: 0, items: [{ fetched: 1, saved: 0 }] } },
  });
  t.same([await daysOf(id), await workoutsOf(id)], [1, 1]);
});

t.test('pings that wait for a provider do not delay a push', async (t) => {
  const patient = { ...pingLimits(), totalMs: 60_000, deadlineMs: 60_000 };
  const waiting = await startApartWith(t, patient);
  const held: (() => void)[] = [];
  provider.answer((req, res) => void held.push(() => honest(req, res)));
  const pings = Array.from({ length: 20 }, () =>
    waiting.ping({ dailies: [pingItem('account', 'dailies', [daily('account', 1)])] }),
  );
  await until(async () => held.length >= 16);
  t.equal(await waiting.push({ activities: [activity('account')] }), true);
  provider.answer(honest);
  for (const release of held) release();
  t.same(
    await Promise.all(pings),
    pings.map(() => true),
  );
});

async function startApartWith(t: Test, limits: PingLimits) {
  const own = await freshDatabase(t);
  const inbox = inboxOn(own);
  const { call } = await startBroker(t, {
    ...{ ...setting, databaseUrl: own.url },
    services: [users, timeseries, devicemakerIngestWith(limits)],
  });
  const { id } = await call('users.create', {});
  await call('users.connect', { user_id: id, provider: 'devicemaker', provider_user_id: 'account' });
  const send = async (kind: 'ping' | 'push', payload: unknown) => {
    const body = Buffer.from(JSON.stringify(payload));
    const delivery_id = await inbox.receive({ provider: 'devicemaker', kind, headers: {}, body });
    return (await call(`devicemaker-ingest.${kind}`, { delivery_id }, { timeout: 60_000 })).done;
  };
  return {
    ping: (payload: unknown) => send('ping', payload),
    push: (payload: unknown) => send('push', payload),
  };
}
