import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { z } from 'zod';
import { Reprocess } from '../../../contracts/deliveries/reprocess.ts';
import { push, startApi } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { type App, type Data, installApp, iphone, phase, record, uploadOf } from './app.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const newYork = 'America/New_York';
const steps = 'HKQuantityTypeIdentifierStepCount';
const heartRate = 'HKQuantityTypeIdentifierHeartRate';
/** 21:00 on 2 March in New York. */
const evening = '2026-03-03T02:00:00Z';
const range = 'start_date=2026-03-01&end_date=2026-03-12';

/** What an iPhone sends of an evening: no offset anywhere. */
function walkAt(startDate: string, fields: Record<string, unknown> = {}): Data {
  const endDate = new Date(Date.parse(startDate) + 600_000).toISOString();
  const workout = { id: randomUUID(), type: 'walking', startDate, endDate, zoneOffset: null, source: iphone };
  return {
    records: [
      record(steps, startDate, 400, { source: iphone, ...fields }),
      record(heartRate, startDate, 90, fields),
    ],
    workouts: [{ ...workout, ...fields }],
  };
}

async function send(app: App, data: Data, headers: Record<string, string> = {}): Promise<void> {
  const answer = await api.ask(`/api/v1/sdk/users/${app.userId}/sync`, {
    body: uploadOf(data),
    headers: { authorization: app.token, ...headers },
  });
  t.match(answer.body, { set_aside: 0, unmapped: {} });
  t.equal(answer.status, 202);
}

const Days = z.object({
  data: z.array(
    z.looseObject({ date: z.string(), steps: z.number().nullable(), heart_rate: z.looseObject({}) }),
  ),
});
const Zoned = z.object({ data: z.array(z.looseObject({ zone_offset: z.string().nullable() })) });

const daysOf = async ({ userId }: App) =>
  Days.parse(await api.expect(200, `/users/${userId}/summaries/activity?${range}`)).data.map(
    ({ date, steps, heart_rate }) => [date, steps, heart_rate.avg_bpm],
  );

async function offsetsOf({ userId }: App) {
  const samples = `start_time=2026-03-01&end_time=2026-03-12&types=heart_rate&types=steps&include=zone`;
  const lists = [`timeseries?${samples}`, `events/workouts?${range}`];
  const pages = await Promise.all(lists.map((path) => api.expect(200, `/users/${userId}/${path}`)));
  return [...new Set(pages.flatMap((page) => Zoned.parse(page).data.map(({ zone_offset }) => zone_offset)))];
}

const patch = ({ userId }: App, time_zone: string | null) =>
  api.expect(200, `/users/${userId}`, { method: 'PATCH', body: { time_zone } });

const Code = z.object({ code: z.string() });
const codeFor = async ({ userId }: App) => {
  const path = `/api/v1/users/${userId}/invitation-code`;
  return Code.parse((await api.ask(path, { method: 'POST', token: api.developerToken })).body).code;
};
const redeem = (code: string, time_zone: string) =>
  api.ask('/api/v1/invitation-code/redeem', { body: { code, time_zone } });

/** The places that may name the zone of a user who has only an iPhone. */
const sources: Record<string, (app: App) => Promise<void>> = {
  'the zone in the metadata of a record': (app) =>
    send(app, walkAt(evening, { metadata: { HKTimeZone: newYork } })),
  'the header of the upload': (app) => send(app, walkAt(evening), { 'Time-Zone': newYork }),
  async 'the zone of the user'(app) {
    await patch(app, newYork);
    await send(app, walkAt(evening));
  },
  async 'the request that redeemed a code'(app) {
    t.equal((await redeem(await codeFor(app), newYork)).status, 200);
    await send(app, walkAt(evening));
  },
  'the offset of the item, as Android sends it': (app) =>
    send(app, walkAt(evening, { zoneOffset: '-05:00' })),
};

for (const [name, upload] of Object.entries(sources))
  t.test(`21:00 in New York belongs to that day by ${name}`, async (t) => {
    const app = await installApp(api);
    await upload(app);
    t.strictSame(await daysOf(app), [['2026-03-02', 400, 90]]);
    t.strictSame(await offsetsOf(app), ['-05:00']);
  });

t.test(
  'without any of them the latest known offset counts, of whatever provider, and else UTC',
  async (t) => {
    const [bare, wearer] = [await installApp(api), await installApp(api)];
    await send(bare, walkAt(evening));
    t.strictSame(await daysOf(bare), [['2026-03-03', 400, 90]]);
    t.strictSame(await offsetsOf(bare), [null]);
    const account = randomUUID();
    const body = { provider: 'devicemaker', provider_user_id: account };
    await api.expect(201, `/users/${wearer.userId}/connections`, { body });
    const epoch = { userId: account, summaryId: 'e', activityType: 'WALKING', durationInSeconds: 900 };
    const at = { startTimeInSeconds: Date.parse('2026-02-20T12:00:00Z') / 1000 };
    const read = { ...epoch, ...at, startTimeOffsetInSeconds: -18_000, activeTimeInSeconds: 900, steps: 9 };
    t.equal((await push(api, { epochs: [read] })).status, 200);
    await send(wearer, walkAt(evening));
    t.strictSame(await daysOf(wearer), [['2026-03-02', 400, 90]]);
  },
);

t.test('of several the nearest to the item counts, and a header that names no zone is ignored', async (t) => {
  const app = await installApp(api);
  await patch(app, 'Asia/Tokyo');
  const only = (fields: object) => ({ records: [record(heartRate, evening, 90, { ...fields })] });
  const offset = async (data: Data, headers: Record<string, string> = {}) => {
    await send(app, data, headers);
    return (await offsetsOf(app)).at(-1);
  };
  const header = { 'Time-Zone': 'Europe/Berlin' };
  const metadata = { HKTimeZone: newYork };
  t.equal(await offset(only({})), '+09:00');
  t.equal(await offset(only({}), { 'Time-Zone': 'Mars/Olympus' }), '+09:00');
  t.equal(await offset(only({}), header), '+01:00');
  t.equal(await offset(only({ metadata: { HKTimeZone: 'GMT-0500' } }), header), '+01:00');
  t.equal(await offset(only({ metadata }), header), '-05:00');
  t.equal(await offset(only({ metadata, zoneOffset: '+05:30' }), header), '+05:30');
});

t.test('on the night of a clock change each instant has the offset of its time', async (t) => {
  const app = await installApp(api);
  await patch(app, newYork);
  // 23:30 on the 7th, before the change at 2:00 on the 8th, and 0:30 on the 9th.
  const beats = ['2026-03-08T04:30:00Z', '2026-03-09T04:30:00Z'];
  const siesta = phase('sleeping', '2026-03-09T17:00:00Z', '2026-03-09T18:00:00Z');
  await send(app, {
    records: beats.flatMap((at) => [record(heartRate, at, 60), record(steps, at, 50)]),
    sleep: [
      phase('core', '2026-03-08T04:00:00Z', '2026-03-08T07:30:00Z'),
      phase('rem', '2026-03-08T07:30:00Z', '2026-03-08T11:00:00Z'),
      siesta,
    ],
  });
  t.strictSame(
    (await daysOf(app)).filter(([, steps]) => steps !== null),
    [
      ['2026-03-07', 50, 60],
      ['2026-03-09', 50, 60],
    ],
  );
  t.strictSame(await offsetsOf(app), ['-05:00', '-04:00']);
  const sleeps = `/users/${app.userId}/events/sleep?${range}`;
  const found = async () => Zoned.parse(await api.expect(200, sleeps)).data;
  await until(async () => (await found()).length === 2);
  t.match(await found(), [
    { zone_offset: '-04:00', is_nap: true },
    { zone_offset: '-04:00', is_nap: false },
  ]);
  t.match(await api.expect(200, `/users/${app.userId}/summaries/sleep?${range}`), {
    data: [{ date: '2026-03-08' }, { date: '2026-03-09' }],
  });
});

t.test('a later zone moves stored data that had none, and other data if it is processed again', async (t) => {
  const app = await installApp(api);
  const first = async () => (await daysOf(app))[0]?.[0];
  await send(app, walkAt(evening));
  t.equal(await first(), '2026-03-03');
  await patch(app, newYork);
  await until(async () => (await first()) === '2026-03-02');
  await send(app, walkAt('2026-03-05T02:00:00Z'));
  t.strictSame(await daysOf(app), [
    ['2026-03-02', 400, 90],
    ['2026-03-04', 400, 90],
  ]);
  await patch(app, 'Asia/Tokyo');
  await reprocess();
  t.strictSame(await daysOf(app), [
    ['2026-03-03', 400, 90],
    ['2026-03-05', 400, 90],
  ]);
  await patch(app, null);
  t.match(await api.expect(200, `/users/${app.userId}`), { time_zone: null });
});

async function reprocess(): Promise<void> {
  const asked = { token: api.developerToken, body: { provider: 'phone' } };
  const { id } = Reprocess.parse((await api.ask('/api/v1/deliveries/reprocess', asked)).body);
  for (;;) {
    const answer = await api.ask(`/api/v1/reprocess-runs/${id}`, { token: api.developerToken });
    if (Reprocess.parse(answer.body).status !== 'running') return;
    await sleep(100);
  }
}

t.test('a name that is no zone is 422, and the code stays valid', async (t) => {
  const app = await installApp(api);
  const refused = { detail: /./, errors: [{ field: 'time_zone' }] };
  for (const time_zone of ['Mars/Olympus', '', '+02:00', 'GMT-0500', 5])
    for (const [method, path] of [
      ['POST', '/users'],
      ['PATCH', `/users/${app.userId}`],
    ] as const)
      t.match(await api.expect(422, path, { method, body: { time_zone } }), refused);
  const code = await codeFor(app);
  t.match(await redeem(code, 'Mars/Olympus'), { status: 422, body: refused });
  t.equal((await redeem(code, newYork)).status, 200);
  t.match(await api.expect(200, `/users/${app.userId}`), { time_zone: newYork });
  t.match(await api.expect(201, '/users', { body: { time_zone: newYork } }), { time_zone: newYork });
});
