import t from 'tap';
import { z } from 'zod';
import { dataTypes } from '../../sandbox/devicemaker/payloads.ts';
import { until } from '../support/until.ts';
import {
  allPermissions,
  ask,
  connectDevice,
  control,
  devicemakerOf,
  historyUrl,
  startApplication,
} from './application.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const Callbacks = z.array(z.looseObject({ callbackURL: z.string() }));

t.test('returns 202 at once and sends the data after the batch window', async (t) => {
  const { sandbox, receiver } = await startApplication(t);
  const { access_token } = await connectDevice(sandbox);
  t.same(await ask(historyUrl(sandbox, 'dailies'), access_token).then(({ status, body }) => [status, body]), [
    202,
    null,
  ]);
  await sandbox.advance(59_000);
  t.equal(receiver.received.length, 0);
  await sandbox.advance(1000);
  const [only, ...others] = receiver.received;
  t.same([only?.path, others.length], ['/hooks/devicemaker/push', 0]);
  t.equal(only?.headers['devicemaker-client-id'], devicemakerOf(sandbox).client_id);
  t.same(Object.keys(only?.body ?? {}), ['dailies']);
  t.equal(receiver.items('dailies').length, 4, 'three days touch four dates');
});

t.test('requests of one batch window are sent together', async (t) => {
  const { sandbox, receiver } = await startApplication(t);
  for (const person of [1, 2]) {
    const { access_token } = await connectDevice(sandbox, person);
    for (const type of ['hrv', 'sleeps']) await ask(historyUrl(sandbox, type), access_token);
  }
  await sandbox.advance(minuteMs);
  t.equal(receiver.received.length, 1);
  t.equal(new Set(receiver.items('sleeps').map(({ userId }) => userId)).size, 2);
  t.ok(receiver.items('hrv').length >= 4);
});

t.test('sends a month of every data type in notifications of limited size', async (t) => {
  const { sandbox, receiver } = await startApplication(t);
  const { access_token } = await connectDevice(sandbox);
  for (const type of dataTypes)
    t.equal((await ask(historyUrl(sandbox, type, 30), access_token)).status, 202, type);
  const keys = () => new Set(receiver.received.flatMap(({ body }) => Object.keys(body)));
  // What a busy receiver does not answer in time is sent again.
  await until(async () => {
    await sandbox.advance(minuteMs);
    return keys().size >= dataTypes.length;
  });
  t.same([...keys()].sort(), [...dataTypes].sort());
  t.ok(receiver.received.every(({ text }) => text.length < 4_000_000));
});

t.test('refuses requests like the real provider', async (t) => {
  const { sandbox, receiver } = await startApplication(t, { limits: { backfillRequestsPerMinute: 11 } });
  const { access_token } = await connectDevice(sandbox);
  const { access_token: withheld } = await connectDevice(sandbox, 2, ['HEALTH_EXPORT', 'ACTIVITY_EXPORT']);
  const { access_token: fewer } = await connectDevice(sandbox, 5, [
    'HEALTH_EXPORT',
    'HISTORICAL_DATA_EXPORT',
  ]);
  const status = async (url: string, token = access_token) => (await ask(url, token)).status;
  const url = historyUrl(sandbox, 'epochs');
  t.equal(await status(url, 'made-up'), 401);
  t.equal(await status(historyUrl(sandbox, 'horoscopes')), 404);
  t.equal(await status(historyUrl(sandbox, 'epochs', 31)), 400, 'more than 30 days');
  t.equal(await status(historyUrl(sandbox, 'epochs', 0)), 400, 'nothing');
  t.equal(await status(`${devicemakerOf(sandbox).api_url}/backfill/epochs`), 400);
  t.equal(await status(url, withheld), 403);
  t.equal(await status(historyUrl(sandbox, 'activities'), fewer), 412, 'not allowed');
  t.equal(await status(historyUrl(sandbox, 'sleeps'), fewer), 412, 'its device has none');
  t.equal(await status(url), 202);
  t.equal(await status(url), 409, 'the same span');
  t.equal(await status(historyUrl(sandbox, 'epochs', 2)), 409, 'a part of it');
  t.equal(await status(historyUrl(sandbox, 'epochs', 5)), 202, 'more than it');
  await control(sandbox, 'PUT', '/application', { types_off: ['hrv'] });
  t.equal(await status(historyUrl(sandbox, 'hrv')), 429);
  await sandbox.advance(minuteMs);
  t.equal(await status(historyUrl(sandbox, 'hrv')), 412);
  t.same(Object.keys(Object.assign({}, ...receiver.received.map(({ body }) => body))), ['epochs']);
});

t.test('with pings the items are at a URL with a token that expires', async (t) => {
  const { sandbox, receiver } = await startApplication(t, {
    application: { style: 'ping', names: 'other', header: 'garmin-client-id' },
  });
  const { access_token } = await connectDevice(sandbox);
  await ask(historyUrl(sandbox, 'respiration'), access_token);
  await sandbox.advance(minuteMs);
  const [only] = receiver.received;
  t.equal(only?.path, '/hooks/devicemaker/ping');
  t.equal(only?.headers['garmin-client-id'], devicemakerOf(sandbox).client_id);
  const [notice] = Callbacks.parse(only?.body.allDayRespiration);
  const url = notice?.callbackURL ?? '';
  t.equal(new URL(url).pathname, '/devicemaker/rest/allDayRespiration');
  t.same([...new URL(url).searchParams.keys()].sort(), [
    'token',
    'uploadEndTimeInSeconds',
    'uploadStartTimeInSeconds',
  ]);
  const items: unknown = await (await fetch(url)).json();
  t.match(items, { length: 4 });
  t.equal((await fetch(url.replace('allDayRespiration', 'sleeps'))).status, 400, 'of this type only');
  t.equal((await fetch(`${url}x`)).status, 400);
  await sandbox.advance(dayMs - 1000);
  t.equal((await fetch(url)).status, 200);
  await sandbox.advance(1000);
  t.equal((await fetch(url)).status, 400, 'a day later');
});

t.test('push and ping deliver the same items', async (t) => {
  const brought = async (style: 'push' | 'ping') => {
    const { sandbox, receiver } = await startApplication(t, { application: { style } });
    const { access_token } = await connectDevice(sandbox);
    await ask(historyUrl(sandbox, 'stressDetails'), access_token);
    await sandbox.advance(minuteMs);
    const items = receiver.items('stressDetails');
    if (style === 'push') return items;
    return Promise.all(items.map(async ({ callbackURL = '' }) => (await fetch(callbackURL)).json())).then(
      (all) => all.flat(),
    );
  };
  t.same(await brought('ping'), await brought('push'));
});

t.test('a deregistered account gets no data, is reported, and can be backfilled again later', async (t) => {
  const { sandbox, receiver } = await startApplication(t);
  const { access_token } = await connectDevice(sandbox);
  await ask(historyUrl(sandbox, 'dailies'), access_token);
  const { api_url } = devicemakerOf(sandbox);
  t.equal((await ask(`${api_url}/user/registration`, access_token, 'DELETE')).status, 204);
  t.equal((await ask(`${api_url}/user/id`, access_token)).status, 401);
  await sandbox.advance(20 * minuteMs);
  t.same(
    receiver.received.map(({ body }) => Object.keys(body)),
    [['deregistrations']],
  );
  t.match(receiver.items('deregistrations'), [{ userId: String }]);
  const again = await connectDevice(sandbox, 1, allPermissions);
  t.equal((await ask(historyUrl(sandbox, 'dailies'), again.access_token)).status, 202);
  await sandbox.advance(minuteMs);
  t.equal(receiver.items('dailies').length, 4);
});

t.test('revoked permissions are reported and applied', async (t) => {
  const { sandbox, receiver } = await startApplication(t);
  const { access_token } = await connectDevice(sandbox);
  const { status } = await control(sandbox, 'POST', '/people/1/permissions', {
    permissions: ['ACTIVITY_EXPORT'],
  });
  t.equal(status, 200);
  await sandbox.advance(0);
  t.match(receiver.received[0]?.body, {
    userPermissionsChange: [
      { userId: String, permissions: ['ACTIVITY_EXPORT'], changeTimeInSeconds: Number },
    ],
  });
  t.equal((await ask(historyUrl(sandbox, 'dailies'), access_token)).status, 403);
  await sandbox.advance(12 * 60 * minuteMs);
  const keys = new Set(receiver.received.slice(1).flatMap(({ body }) => Object.keys(body)));
  t.same(
    [...keys].filter((key) => !['activities', 'activityDetails', 'moveiq'].includes(key)),
    [],
  );
  t.ok(keys.size > 0);
});
