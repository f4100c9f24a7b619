import t from 'tap';
import { z } from 'zod';
import { createUser, startApi } from '../../support/api.ts';
import { agree, formOf, sessionFor, visitor } from '../../support/connect-page.ts';
import { installApp, record, uploadOf } from './app.ts';
import { connectionStatus, eventsOf } from './first-sync.ts';

const api = await startApi(t, { SANDBOX: 'off', RATE_LIMIT_FAILURES: '20' });
const fields = { id: z.uuid(), user_id: z.string(), created_at: z.iso.datetime() };
const Code = z.object({ ...fields, code: z.string(), expires_at: z.string() });
const Redeemed = z.object({ ...fields, access_token: z.string(), refresh_token: z.string() });

const codeFor = async (userId: string) => (await createCode(userId)).code;
const createCode = async (userId: string) => {
  const answer = await api.ask(`/api/v1/users/${userId}/invitation-code`, {
    ...{ method: 'POST', token: api.developerToken },
  });
  t.equal(answer.status, 201);
  return Code.parse(answer.body);
};
const redeem = (code: string) => api.ask('/api/v1/invitation-code/redeem', { body: { code } });

t.test('a code works once, and its tokens upload the data of its user', async (t) => {
  const userId = await createUser(api);
  const { code, id, user_id: whose, created_at, expires_at } = await createCode(userId);
  t.match(code, /^[A-Z2-9]{8}$/);
  t.equal(whose, userId);
  t.equal(Date.parse(expires_at) - Date.parse(created_at), 15 * 60_000);
  const typed = [code, code.toLowerCase(), `${code.slice(0, 4)}-${code.slice(4)}`, ` ${code} `, code];
  const attempts = await Promise.all(typed.map(redeem));
  t.same(attempts.map(({ status }) => status).sort(), [200, 401, 401, 401, 401]);
  const { access_token, refresh_token, ...rest } = Redeemed.parse(
    attempts.find(({ status }) => status === 200)?.body,
  );
  t.same(rest, { id, user_id: userId, created_at });
  const path = `/api/v1/sdk/users/${userId}/sync`;
  const upload = { body: uploadOf({ records: [] }), headers: { authorization: access_token } };
  t.equal((await api.ask(path, upload)).status, 202);
  const renewed = await api.ask('/api/v1/token/refresh', { body: { refresh_token } });
  t.equal(renewed.status, 200);
  t.match(await api.expect(200, `/users/${userId}/connections`), [{ provider: 'phone', status: 'active' }]);
});

t.test('a code is stored as a hash, voids the former one, and expires', async (t) => {
  const userId = await createUser(api);
  const former = await codeFor(userId);
  const code = await codeFor(userId);
  const kept = JSON.stringify(await api.database.query('select * from phone.invitation_code'));
  t.notMatch(kept, code);
  t.equal((await redeem(former)).status, 401);
  await api.database.query(
    "update phone.invitation_code set expires_at = now() - interval '1 s' where user_id = $1",
    [userId],
  );
  t.equal((await redeem(code)).status, 401);
});

t.test('a code connects a user again who was disconnected', async (t) => {
  const app = await installApp(api);
  await app.sync({ records: [] });
  await api.expect(200, `/users/${app.userId}/connections/phone`, { method: 'DELETE' });
  t.equal((await app.send('sync', uploadOf({}))).status, 401);
  t.equal((await redeem(await codeFor(app.userId))).status, 200);
  t.equal(
    (await app.send('sync', uploadOf({ records: [record('STEP_COUNT', '2026-03-02T10:00:00Z', 3)] }))).status,
    202,
  );
});

t.test('the first upload is shown per type and ends in a completed backfill', async (t) => {
  const app = await installApp(api);
  const steps = 'HKQuantityTypeIdentifierStepCount';
  await app.send(
    'logs',
    eventsOf([['start', { [steps]: 500, workouts: 3, HKCategoryTypeIdentifierSleepAnalysis: 0 }]]),
  );
  t.match(await connectionStatus(api, app.userId), {
    status: 'running',
    types: [
      { type: 'StepCount', status: 'requested', items: 500 },
      { type: 'workouts', status: 'requested' },
    ],
  });
  await app.send('logs', eventsOf([['end', steps, 500]]));
  t.match(await connectionStatus(api, app.userId), {
    status: 'running',
    types: [{ status: 'received', saved: 500 }, {}],
  });
  await app.send('logs', eventsOf([['end', 'HKWorkoutTypeIdentifier', 3]]));
  t.match(await connectionStatus(api, app.userId), { status: 'done' });
  const types =
    'select kind, action from changes.pending where user_id = $1 union select split_part(type, $2, 1), split_part(type, $2, 2) from changes.change where user_id = $1';
  const kinds = await api.database.query<{ kind: string; action: string }>(types, [app.userId, '.']);
  t.ok(kinds.some(({ kind, action }) => kind === 'backfill' && action === 'completed'));
  const started = await api.ask(`/api/v1/users/${app.userId}/connections/phone/backfill`, {
    body: {},
    key: api.apiKey,
  });
  t.equal(started.status, 409, 'the app sends past data by itself');
});

t.test('tracked types with one name in uploads are added up, and each of them ends', async (t) => {
  const app = await installApp(api);
  const walked = ['DISTANCE', 40] as const;
  const cycled = ['DISTANCE', 2] as const;
  const start = eventsOf([['start', {}]]);
  const counts = [walked, cycled, ['HYDRATION', 3] as const, ['HYDRATION', 3] as const];
  const dataTypeCounts = counts.map(([type, count]) => ({ type, count }));
  const [begun, state] = start.events;
  await app.send('logs', { ...start, events: [{ ...begun, dataTypeCounts }, state] });
  t.match(await connectionStatus(api, app.userId), {
    status: 'running',
    types: [
      { type: 'DISTANCE', items: 42, status: 'requested' },
      { type: 'HYDRATION', items: 6 },
    ],
  });
  for (const [type, count] of [walked, ['HYDRATION', 3] as const, ['HYDRATION', 3] as const])
    await app.send('logs', eventsOf([['end', type, count]]));
  t.match(await connectionStatus(api, app.userId), {
    status: 'running',
    types: [
      { type: 'DISTANCE', status: 'requested', saved: 40 },
      { type: 'HYDRATION', status: 'received', saved: 6 },
    ],
  });
  await app.send('logs', eventsOf([['end', ...cycled]]));
  t.match(await connectionStatus(api, app.userId), {
    status: 'done',
    types: [{ type: 'DISTANCE', status: 'received', saved: 42 }, {}],
  });
});

t.test('of the ends of a type the newest counts, in whatever order they arrive', async (t) => {
  const app = await installApp(api);
  await app.send('logs', eventsOf([['start', { HEART_RATE: 45 }]]));
  const later = [
    ['2026-03-02T10:02:00Z', 45],
    ['2026-03-02T10:01:00Z', 40],
  ] as const;
  for (const [timestamp, count] of later) {
    const { events, ...rest } = eventsOf([['end', 'HEART_RATE', count]]);
    await app.send('logs', { ...rest, events: events.map((event) => ({ ...event, timestamp })) });
  }
  t.match(await connectionStatus(api, app.userId), {
    status: 'done',
    types: [{ type: 'HEART_RATE', status: 'received', saved: 45 }],
  });
});

t.test('the first upload of a user ends beside an open one of another user', async (t) => {
  const [open, sent] = [await installApp(api), await installApp(api)];
  for (const app of [open, sent]) await app.send('logs', eventsOf([['start', { HEART_RATE: 5 }]]));
  await sent.send('logs', eventsOf([['end', 'HEART_RATE', 5]]));
  t.match(await connectionStatus(api, sent.userId), { status: 'done' });
  t.match(await connectionStatus(api, open.userId), { status: 'running' });
});

t.test('the connect page shows a code, which connects the app of its user', async (t) => {
  const userId = await createUser(api);
  const browser = visitor(api);
  const page = await browser.open((await sessionFor(api, userId, { providers: ['phone'] })).url);
  t.equal(page.status, 200);
  for (const shared of ['Nutrition', 'Mindful sessions', 'Menstrual cycle']) t.ok(page.text.includes(shared));
  const shown = await agree(browser, `${page.url}/phone`, formOf(page));
  const [, code = ''] = /class="code">([2-9A-Z]{8})</.exec(shown.text) ?? [];
  t.match(await redeem(code), { status: 200, body: { user_id: userId } });
  t.equal((await redeem(code)).status, 401);
});

t.test('wrong codes are limited per address', async (t) => {
  const statuses = [];
  for (let index = 0; index < 25; index += 1) statuses.push((await redeem('AAAA-AAAA')).status);
  t.ok(statuses.includes(429));
});
