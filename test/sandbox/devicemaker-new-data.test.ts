import t from 'tap';
import { syncsIn } from '../../sandbox/devicemaker/new-data.ts';
import { gapMs } from '../../sandbox/server/outbox.ts';
import { simulatedUserAt } from '../../sandbox/simulation/simulated-users.ts';
import { connectDevice, control, startApplication } from './application.ts';

const minuteMs = 60_000;

t.test('each quarter of an hour new data is sent, and the day grows', async (t) => {
  const { sandbox, receiver } = await startApplication(t);
  await connectDevice(sandbox);
  await sandbox.advance(7 * minuteMs);
  t.equal(receiver.received.length, 0, 'not before the quarter is full');
  await sandbox.advance(46 * minuteMs);
  t.equal(receiver.received.length, 4);
  const lengths = receiver.items('dailies').map(({ durationInSeconds = 0 }) => durationInSeconds);
  t.same(
    lengths.map((one) => one - (lengths[0] ?? 0)),
    [0, 900, 1800, 2700],
  );
  t.equal(new Set(receiver.items('dailies').map(({ startTimeInSeconds }) => startTimeInSeconds)).size, 1);
  const slots = receiver.items('epochs').map(({ startTimeInSeconds = 0 }) => startTimeInSeconds);
  t.equal(new Set(slots).size, 4);
});

t.test('a night is sent as tentative, then final; a day is complete at its end', async (t) => {
  const { sandbox, receiver } = await startApplication(t);
  await connectDevice(sandbox);
  await sandbox.advance(24 * 60 * minuteMs);
  t.same(
    receiver.items('sleeps').map(({ validation }) => validation),
    ['ENHANCED_FINAL', 'ENHANCED_TENTATIVE', 'ENHANCED_FINAL'].slice(-receiver.items('sleeps').length),
  );
  t.ok(receiver.items('sleeps').length >= 2);
  t.ok(receiver.items('dailies').some(({ durationInSeconds }) => durationInSeconds === 86_400));
  t.equal(receiver.items('userMetrics').length, 1);
});

t.test('a long span is synchronised a few times per day, never across a midnight', async (t) => {
  const person = simulatedUserAt('a seed', 0);
  const startMs = Date.UTC(2026, 4, 10, 9);
  const at = (hours: number) => syncsIn(person, { startMs, endMs: startMs + hours * 60 * minuteMs });
  t.equal(at(2).length, 8);
  const spans = at(48);
  t.same(
    spans.map(({ endMs }) => new Date(endMs).toISOString().slice(11, 16)),
    ['12:15', '18:15', '06:15', '12:15', '18:15', '06:15', '09:00'],
    'noon, 18 and 24 o’clock in Kathmandu',
  );
  t.equal(spans[0]?.startMs, startMs);
  t.ok(spans.every((one, index) => index === 0 || one.startMs === spans[index - 1]?.endMs));
  t.same(at(0), []);
});

t.test('only 200 is success; otherwise the request is repeated with growing pauses', async (t) => {
  const { sandbox, receiver } = await startApplication(t);
  await connectDevice(sandbox);
  const statuses = [500, 204, 302, 201, 200];
  const times: number[] = [];
  receiver.status = (count) => {
    times.push(sandbox.world.clock.nowMs());
    return statuses[count] ?? 200;
  };
  await sandbox.advance(15 * minuteMs);
  t.equal(receiver.received.length, statuses.length);
  t.equal(new Set(receiver.received.map(({ text }) => text)).size, 1, 'the same each time');
  t.same(
    times.map((ms, index) => (ms - (times[index - 1] ?? ms)) / 1000),
    [0, 10, 20, 40, 80],
  );
  t.same(
    sandbox.providers.map(({ delivery }) => [1, 2, 30].map((attempts) => gapMs(delivery, attempts))),
    [
      [10_000, 20_000, 6 * 3_600_000],
      [15_000, 30_000, 60_000],
      [10_000, 20_000, 4 * 3_600_000],
      [10_000, 20_000, 4 * 3_600_000],
      // Providers that list records have one policy.
      ...sandbox.providers.slice(4).map(() => [10_000, 20_000, 3_600_000]),
    ],
  );
});

t.test('notifications wait until the application has an address', async (t) => {
  const { sandbox, receiver } = await startApplication(t, { application: { webhooks: null } });
  await connectDevice(sandbox);
  await sandbox.advance(30 * minuteMs);
  t.equal(receiver.received.length, 0);
  t.equal((await control(sandbox, 'PUT', '/application', { webhooks: receiver.url })).status, 200);
  await sandbox.advance(0);
  t.equal(receiver.received.length, 2);
});
