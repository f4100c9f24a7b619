import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { dataTypes } from '../../sandbox/devicemaker/payloads.ts';
import { startSandbox } from '../../sandbox/server/server.ts';
import { emptySecondSet } from '../../sandbox/simulation/second-set.ts';
import { holds, withSpan } from '../../sandbox/simulation/spans.ts';
import {
  allPermissions,
  ask,
  connectDevice,
  control,
  devicemakerOf,
  historyUrl,
  startApplication,
  startMs,
} from './application.ts';
import { readLedger } from './compare.ts';

const minuteMs = 60_000;

t.test('the expected data equals the sent notifications', async (t) => {
  const { sandbox, receiver } = await startApplication(t);
  const { access_token } = await connectDevice(sandbox);
  for (const type of dataTypes) await ask(historyUrl(sandbox, type, 8), access_token);
  await sandbox.advance(6 * 60 * minuteMs);
  const { devicemaker } = await readLedger(sandbox.access.url, 1);
  const distinct = (key: string, field: (item: Record<string, unknown>) => unknown) =>
    new Set(receiver.items(key).map(field)).size;
  const start = (item: Record<string, unknown>) => item.startTimeInSeconds ?? item.measurementTimeInSeconds;
  t.equal(devicemaker?.items.dailies, distinct('dailies', start));
  t.equal(
    devicemaker?.items.activities,
    distinct('activities', ({ activityId }) => activityId),
  );
  t.equal(
    devicemaker?.items.sleeps,
    distinct('sleeps', ({ calendarDate }) => calendarDate),
  );
  t.equal(
    devicemaker?.items.epochs,
    distinct('epochs', (item) => `${start(item)} ${item.activityType}`),
  );
  t.equal(devicemaker?.items.moveiq, distinct('moveiq', start));
  const Values = z.record(z.string(), z.number()).default({});
  const heart = new Set<number>();
  for (const item of receiver.items('dailies'))
    for (const offset of Object.keys(Values.parse(item.timeOffsetHeartRateSamples)))
      heart.add((item.startTimeInSeconds ?? 0) + Number(offset));
  const Snapshot = z.array(z.object({ summaryType: z.string(), epochSummaries: Values }));
  for (const item of receiver.items('healthSnapshot'))
    for (const { summaryType, epochSummaries } of Snapshot.parse(item.summaries))
      if (summaryType === 'heart_rate')
        for (const offset of Object.keys(epochSummaries))
          heart.add((item.startTimeInSeconds ?? 0) + Number(offset));
  for (const item of receiver.items('bloodPressures')) heart.add(Number(item.measurementTimeInSeconds));
  const line = devicemaker?.series.find(({ type, device }) => type === 'heart_rate' && device === 'unknown');
  t.equal(line?.samples, heart.size);
  const stress = devicemaker?.series.find(({ type }) => type === 'devicemaker_stress_level');
  t.ok(stress !== undefined && stress.samples < 9 * 480, 'states are no values');
});

t.test('data that was not acknowledged is not expected', async (t) => {
  const { sandbox, receiver } = await startApplication(t);
  await connectDevice(sandbox);
  receiver.status = () => 503;
  await sandbox.advance(15 * minuteMs);
  const before = await readLedger(sandbox.access.url, 1);
  t.same([before.waiting, before.devicemaker?.items], [1, {}]);
  receiver.status = () => 200;
  await sandbox.advance(10 * minuteMs);
  const after = await readLedger(sandbox.access.url, 1);
  t.same([after.waiting, after.devicemaker?.items.dailies], [0, 1]);
});

t.test('expected items are complete, in their last version', async (t) => {
  const { sandbox } = await startApplication(t);
  await connectDevice(sandbox);
  await sandbox.advance(60 * minuteMs);
  const items = await control(sandbox, 'GET', '/ledger/items?person=1&type=dailies');
  t.match(items.body, { length: 1, 0: { durationInSeconds: 56_700 } });
  t.equal((await control(sandbox, 'GET', '/ledger/items?person=1&type=horoscopes')).status, 422);
  t.equal((await control(sandbox, 'GET', '/ledger?person=99')).status, 404);
});

t.test('expected samples have the values that were sent', async (t) => {
  const { sandbox, receiver } = await startApplication(t);
  await connectDevice(sandbox);
  await sandbox.advance(60 * minuteMs);
  const [day] = receiver.items('dailies').slice(-1);
  const sent = Object.entries(z.record(z.string(), z.number()).parse(day?.timeOffsetHeartRateSamples));
  const answer = await control(sandbox, 'GET', '/ledger/samples?person=1&type=heart_rate');
  const [line] = z
    .array(z.object({ provider: z.string(), type: z.string(), samples: z.array(z.array(z.number())) }))
    .parse(answer.body);
  t.match(line, { provider: 'devicemaker', type: 'heart_rate' });
  const known = new Map(line?.samples.map(([second = 0, ...values]) => [second, values]));
  const start = Number(day?.startTimeInSeconds);
  t.ok(sent.length > 1000);
  t.ok(sent.every(([offset, value]) => known.get(start + Number(offset))?.includes(value)));
  t.equal((await control(sandbox, 'GET', '/ledger/samples?person=1&type=horoscopes')).status, 422);
  t.same((await control(sandbox, 'GET', '/ledger/activities?person=1')).body, []);
});

t.test('the same seed and advances send the same bytes, another seed others', async (t) => {
  const run = async (seed: string) => {
    const { sandbox, receiver } = await startApplication(t, { seed });
    await connectDevice(sandbox, 2);
    await sandbox.advance(60 * minuteMs);
    return receiver.received.map(({ text }) => text).join('\n');
  };
  const one = await run('one');
  t.ok(one === (await run('one')));
  t.ok(one !== (await run('two')));
});

t.test('after a restart users are still connected, and waiting notifications are sent', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sandbox.json');
  const { sandbox, receiver } = await startApplication(t, { file });
  const { access_token } = await connectDevice(sandbox);
  receiver.status = () => 500;
  const asked = historyUrl(sandbox, 'dailies');
  await ask(asked, access_token);
  await sandbox.advance(15 * minuteMs);
  const waiting = sandbox.world.store.state.letters.length;
  t.equal(waiting, 2);
  await sandbox.stop();
  t.equal(statSync(file).mode & 0o777, 0o600);
  receiver.status = () => 200;
  receiver.received.length = 0;
  const again = await startSandbox({ file, seed: 'a seed', speed: 0, startMs: startMs + 40 * minuteMs });
  t.teardown(() => again.stop());
  t.equal(again.access.url, sandbox.access.url, 'at the same address');
  t.same(devicemakerOf(again), devicemakerOf(sandbox));
  t.equal((await ask(`${devicemakerOf(again).api_url}/user/id`, access_token)).status, 200);
  t.equal((await ask(asked, access_token)).status, 409);
  await again.advance(10 * minuteMs);
  t.equal(receiver.received.length, waiting + 2, 'and what became new meanwhile');
  t.same((await readLedger(again.access.url, 1)).devicemaker?.items.dailies, 4);
});

t.test('backfill requests of an open batch window survive a restart', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sandbox.json');
  const { sandbox, receiver } = await startApplication(t, { file });
  const { access_token } = await connectDevice(sandbox, 1, allPermissions);
  await ask(historyUrl(sandbox, 'hrv'), access_token);
  await sandbox.stop();
  const again = await startSandbox({ file, seed: 'a seed', speed: 0, startMs });
  t.teardown(() => again.stop());
  await again.advance(5 * minuteMs);
  t.equal(receiver.items('hrv').length > 0, true);
});

t.test('only requests with a loopback host name are served', async (t) => {
  const { sandbox } = await startApplication(t);
  const { port } = new URL(sandbox.access.url);
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  request({ port, host: '127.0.0.1', path: '/people', headers: { host: 'rebound.example' } }, (response) => {
    response.resume();
    resolve(response.statusCode);
  }).end();
  t.equal(await promise, 403);
  t.equal((await control(sandbox, 'GET', '/nothing')).status, 404);
  t.equal((await control(sandbox, 'POST', '/people', {})).status, 405);
  const page = await control(sandbox, 'GET', '/');
  t.match(String(page.body), /Weekday Runner.*Half-Day Wearer/s);
});

t.test('the clock cannot be advanced so far that receivers refuse the data', async (t) => {
  const { sandbox } = await startApplication(t, { startMs: Date.now() });
  const turn = (advance_seconds: number) => control(sandbox, 'POST', '/clock', { advance_seconds });
  t.equal((await turn(21 * 3600)).status, 409);
  t.equal((await turn(-1)).status, 422);
  t.equal((await turn(3600)).status, 200);
});

t.test('touching spans are joined', async (t) => {
  const at = (startMs: number, endMs: number) => ({ startMs, endMs });
  const spans = [at(0, 10), at(20, 30), at(40, 50)];
  t.same(withSpan(spans, at(10, 20)), [at(0, 30), at(40, 50)]);
  t.same(withSpan(spans, at(12, 15)), [at(0, 10), at(12, 15), at(20, 30), at(40, 50)]);
  t.same(withSpan(spans, at(5, 60)), [at(0, 60)]);
  t.same(withSpan([], at(5, 6)), [at(5, 6)]);
  t.ok(holds(spans, at(21, 30)));
  t.notOk(holds(spans, at(5, 25)));
});

t.test('a set of seconds counts each once', async (t) => {
  const seconds = emptySecondSet();
  t.same([seconds.size, seconds.first, seconds.last], [0, null, null]);
  for (const one of [7200, 3599, 3600, 7200, 0, 3600]) seconds.add(one);
  t.same([seconds.size, seconds.first, seconds.last], [4, 0, 7200]);
});
