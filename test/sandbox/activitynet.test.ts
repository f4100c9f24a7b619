import { createHmac } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import {
  activitynetOf,
  ask,
  connectAthlete,
  connectDevice,
  control,
  decide,
  redirectUri,
  startApplication,
  startMs,
  token,
} from './application.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const Activity = z.looseObject({
  id: z.int(),
  name: z.string(),
  start_date: z.string(),
  elapsed_time: z.int(),
  sport_type: z.string(),
});
const Activities = z.array(Activity);

async function subscribed(...given: Parameters<typeof startApplication>) {
  const { sandbox, receiver } = await startApplication(...given);
  const activitynet = activitynetOf(sandbox);
  const callback = { callback_url: `${receiver.url}/activitynet/webhook`, verify_token: 'the-verify-token' };
  const answer = await token(`${activitynet.api_url}/push_subscriptions`, activitynet, callback);
  return { sandbox, receiver, answer };
}

t.test('the consent page returns the ticked scopes and a code that is valid once', async (t) => {
  const { sandbox } = await startApplication(t);
  const activitynet = activitynetOf(sandbox);
  const fields = new URLSearchParams({
    ...{
      response_type: 'code',
      client_id: activitynet.client_id,
      redirect_uri: redirectUri,
      state: 'the-state',
    },
    ...{
      scope: 'activity:read_all,profile:read_all',
      person: '6',
      decision: 'allow',
      permission: 'profile:read_all',
    },
  });
  const back = await decide(`${activitynet.oauth_url}/authorize`, fields);
  t.equal(back?.searchParams.get('scope'), 'read,profile:read_all');
  t.equal(back?.searchParams.get('state'), 'the-state');
  const code = back?.searchParams.get('code') ?? '';
  const exchange = () =>
    token(`${activitynet.oauth_url}/token`, activitynet, { grant_type: 'authorization_code', code });
  const first = await exchange();
  t.match(first.body, { token_type: 'Bearer', expires_in: 6 * 3600, athlete: { id: Number } });
  t.ok(Object(first.body).athlete.id > 2 ** 32);
  t.equal((await exchange()).status, 400);
  t.equal((await ask(`${activitynet.api_url}/athlete`, Object(first.body).access_token)).status, 200);
  t.equal(
    (await ask(`${activitynet.api_url}/athlete/activities`, Object(first.body).access_token)).status,
    401,
    'not allowed',
  );
});

t.test('a token is valid for six hours, and a refresh revokes the old pair', async (t) => {
  const { sandbox } = await startApplication(t);
  const activitynet = activitynetOf(sandbox);
  const { access_token, refresh_token } = await connectAthlete(sandbox);
  const athlete = async (access: string) => (await ask(`${activitynet.api_url}/athlete`, access)).status;
  await sandbox.advance(6 * hourMs - 1000);
  t.equal(await athlete(access_token), 200);
  await sandbox.advance(1000);
  t.equal(await athlete(access_token), 401);
  const refresh = () =>
    token(`${activitynet.oauth_url}/token`, activitynet, { grant_type: 'refresh_token', refresh_token });
  const fresh = await refresh();
  t.equal(await athlete(Object(fresh.body).access_token), 200);
  t.equal((await refresh()).status, 400);
  t.equal(
    (await token(`${activitynet.oauth_url}/token`, { ...activitynet, client_secret: 'no' }, {})).status,
    401,
  );
});

t.test('lists activities by page, newest first; after an instant oldest first', async (t) => {
  const { sandbox } = await startApplication(t);
  const { access_token } = await connectAthlete(sandbox);
  const list = async (query: string) =>
    Activities.parse(
      (await ask(`${activitynetOf(sandbox).api_url}/athlete/activities?${query}`, access_token)).body,
    );
  const starts = (all: z.infer<typeof Activities>) => all.map(({ start_date }) => Date.parse(start_date));
  const pages = [await list('per_page=4'), await list('per_page=4&page=2')];
  t.same(starts(await list('per_page=8')), pages.flatMap(starts));
  t.same(
    starts(pages.flat()),
    starts(pages.flat()).toSorted((a, b) => b - a),
  );
  const after = startMs / 1000 - 14 * 86_400;
  const before = startMs / 1000 - 7 * 86_400;
  const week = await list(`after=${after}&before=${before}&per_page=200`);
  t.ok(week.length >= 2);
  t.same(
    starts(week),
    starts(week).toSorted((a, b) => a - b),
  );
  t.ok(starts(week).every((ms) => ms > after * 1000 && ms < before * 1000));
  t.same(await list(`after=${Math.floor(startMs / 1000)}`), [], 'nothing of the future');
});

t.test('returns an activity with its streams to its owner only', async (t) => {
  const { sandbox } = await startApplication(t);
  const { access_token } = await connectAthlete(sandbox);
  const other = await connectAthlete(sandbox, 3);
  const { api_url } = activitynetOf(sandbox);
  const all = Activities.parse((await ask(`${api_url}/athlete/activities`, access_token)).body);
  const run = all.find(({ sport_type }) => sport_type === 'Run');
  const one = Activity.parse((await ask(`${api_url}/activities/${run?.id}`, access_token)).body);
  t.match(one, { ...run, timezone: '(GMT+01:00) Europe/Lisbon', device_name: 'Lane 3', private: false });
  const url = `${api_url}/activities/${run?.id}/streams?keys=time,heartrate,watts&key_by_type=true`;
  const Streams = z.record(z.string(), z.looseObject({ data: z.array(z.number().nullable()) }));
  const streams = Streams.parse((await ask(url, access_token)).body);
  t.same(Object.keys(streams), ['time', 'heartrate'], 'what was asked for and is there');
  t.equal(streams.time?.data.length, streams.heartrate?.data.length);
  t.ok(Math.abs((streams.time?.data.at(-1) ?? 0) - one.elapsed_time) <= 1);
  t.equal((await ask(url, other.access_token)).status, 404);
  t.equal((await ask(`${api_url}/activities/1`, access_token)).status, 404);
});

t.test(
  'counts reads per quarter of an hour and day, also refused ones, in headers of any case',
  async (t) => {
    const { sandbox } = await startApplication(t, { limits: { readsPer15Minutes: 20, readsPerDay: 45 } });
    const { access_token } = await connectAthlete(sandbox);
    const read = async () => await ask(`${activitynetOf(sandbox).api_url}/athlete`, access_token);
    const many = async (count: number) => {
      const answers = [];
      for (let index = 0; index < count; index++) answers.push(await read());
      return answers;
    };
    const quarter = await many(22);
    t.same(
      quarter.map(({ status }) => status),
      [...Array(20).fill(200), 429, 429],
    );
    t.equal(quarter[21]?.headers.get('retry-after'), null);
    const usage = quarter.map(({ headers }) => headers.get('x-readratelimit-usage'));
    t.same(usage.slice(0, 3), ['1,1', '2,2', '3,3']);
    t.equal(usage.filter((one) => one === null).length, 2, 'sometimes missing');
    await sandbox.advance(8 * 60_000);
    t.same(
      (await many(21)).map(({ status }) => status),
      [...Array(20).fill(200), 429],
      'a new quarter of an hour',
    );
    await sandbox.advance(15 * 60_000);
    t.same(
      (await many(3)).map(({ status }) => status),
      [200, 200, 429],
      'the day is used up',
    );
    await sandbox.advance(dayMs - (startMs % dayMs));
    t.not((await read()).status, 429, 'a new day');
  },
);

t.test('creates a subscription only if the receiver echoes the challenge', async (t) => {
  const { sandbox, receiver, answer } = await subscribed(t);
  const activitynet = activitynetOf(sandbox);
  t.same([answer.status, Object(answer.body).id], [201, activitynet.subscription_id]);
  const url = `${activitynet.api_url}/push_subscriptions`;
  const again = await token(url, activitynet, { callback_url: `${receiver.url}/other`, verify_token: 'x' });
  t.equal(again.status, 400, 'there is one already');
  t.equal((await fetch(`${url}/${activitynet.subscription_id}`, { method: 'DELETE' })).status, 204);
  const nobody = await token(url, activitynet, {
    callback_url: 'http://127.0.0.1:9/hook',
    verify_token: 'x',
  });
  t.equal(nobody.status, 400);
  t.same(await (await fetch(url)).json(), []);
});

t.test('sends signed events of uploaded, renamed, deleted and restored activities', async (t) => {
  const { sandbox, receiver } = await subscribed(t);
  await connectAthlete(sandbox);
  await sandbox.advance(5 * dayMs);
  const { access_token } = await connectAthlete(sandbox); // the first token is over by now
  const events = () => receiver.received.map(({ body }) => body);
  const created = events().filter(({ aspect_type }) => aspect_type === 'create');
  t.ok(created.length >= 2);
  const [first] = created;
  t.match(first, { object_type: 'activity', owner_id: Number, event_time: Number, updates: {} });
  t.equal(first?.subscription_id, activitynetOf(sandbox).subscription_id);
  const id = Number(first?.object_id);
  const url = `${activitynetOf(sandbox).api_url}/activities/${id}`;
  t.equal((await ask(url, access_token)).status, 200);
  for (const [change, aspect, status] of [
    ['title', 'update', 200],
    ['delete', 'delete', 404],
    ['restore', 'create', 200],
  ] as const) {
    await control(sandbox, 'POST', '/people/6/activities', { id, change, title: 'Another name' });
    await sandbox.advance(0);
    t.match(events().at(-1), { object_id: id, aspect_type: aspect });
    t.equal((await ask(url, access_token)).status, status, change);
  }
  const times = events().flatMap(({ object_id, event_time }) =>
    object_id === id ? [Number(event_time)] : [],
  );
  t.same(
    times,
    [...new Set(times)].toSorted((a, b) => a - b),
    'each later than the one before',
  );
  t.ok(
    Math.max(...times) <= Date.now() / 1000 + times.length,
    'none in the future, though the clock is turned',
  );
  t.match((await ask(url, access_token)).body, { name: 'Another name' });
  const last = receiver.received.at(-1);
  const [, stamp = '', signature = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(last?.headers['x-strava-signature'])) ?? [];
  const { client_secret } = activitynetOf(sandbox);
  t.equal(signature, createHmac('sha256', client_secret).update(`${stamp}.${last?.text}`).digest('hex'));
});

t.test('an event is sent at most three times', async (t) => {
  const { sandbox, receiver } = await subscribed(t);
  await connectAthlete(sandbox);
  receiver.status = () => 500;
  await control(sandbox, 'POST', '/people/6/deauthorize', {});
  await sandbox.advance(hourMs);
  t.equal(receiver.received.length, 3);
  t.equal(sandbox.world.store.state.counts.given_up, 1);
});

t.test('a deauthorization sends an event and revokes the tokens', async (t) => {
  const { sandbox, receiver } = await subscribed(t);
  const { access_token } = await connectAthlete(sandbox);
  const { oauth_url, api_url } = activitynetOf(sandbox);
  t.equal((await ask(`${oauth_url}/deauthorize`, access_token, 'POST')).status, 200);
  t.equal((await ask(`${api_url}/athlete`, access_token)).status, 401);
  t.equal((await ask(`${oauth_url}/deauthorize`, access_token, 'POST')).status, 401);
  await sandbox.advance(5 * dayMs);
  t.match(
    receiver.received.map(({ body }) => body),
    [{ object_type: 'athlete', aspect_type: 'update', updates: { authorized: 'false' } }],
  );
});

t.test('a workout at both providers is sent by both, with small differences', async (t) => {
  const { sandbox } = await subscribed(t);
  await connectAthlete(sandbox);
  await connectDevice(sandbox, 6);
  await sandbox.advance(5 * dayMs);
  const Both = z.object({
    devicemaker: z.object({ workouts: z.array(z.object({ start_time: z.string() })) }),
    activitynet: z.object({ activities: z.array(z.object({ start_time: z.string() })) }),
  });
  const ledger = Both.parse((await control(sandbox, 'GET', '/ledger?person=6')).body);
  const starts = (all: readonly { start_time: string }[]) =>
    all.map(({ start_time }) => Date.parse(start_time));
  const own = starts(ledger.devicemaker.workouts);
  const forwarded = starts(ledger.activitynet.activities);
  t.ok(own.length >= 2);
  t.equal(own.length, forwarded.length);
  t.ok(own.every((ms, index) => Math.abs(ms - (forwarded[index] ?? 0)) <= 90_000));
});
