import t from 'tap';
import { startClock } from '../../sandbox/simulation/clock.ts';

t.test('runs at its speed until it reaches the wall clock, then at normal speed', async (t) => {
  let wallMs = 1_000_000;
  const clock = startClock({ startMs: 400_000, speed: 60, wall: () => wallMs });
  t.teardown(() => clock.stop());
  const shown = [0, 1000, 9000, 10_000, 100_000].map((ms) => {
    wallMs += ms;
    return clock.nowMs();
  });
  t.same(shown, [400_000, 460_000, 1_000_000, 1_020_000, 1_120_000]);
  t.equal(clock.wallMsFor(60_000), 60_000);
});

t.test('never goes back, even if the wall clock does', async (t) => {
  let wallMs = 1_000_000;
  const clock = startClock({ startMs: 999_000, speed: 10, wall: () => wallMs });
  t.teardown(() => clock.stop());
  wallMs -= 5000;
  t.equal(clock.nowMs(), 999_000);
});

t.test('advancing runs due tasks in order, one after another', async (t) => {
  const clock = startClock({ startMs: 0, speed: 0 });
  const done: string[] = [];
  const slow = (name: string) => async () => {
    done.push(`${name} begins at ${clock.nowMs()}`);
    await Promise.resolve();
    done.push(`${name} ends`);
  };
  clock.at(20, slow('second'));
  clock.at(10, () => {
    done.push('first');
    clock.at(15, slow('made on the way'));
  });
  clock.at(31, slow('later'));
  await clock.advance(30);
  t.same(done, [
    'first',
    'made on the way begins at 15',
    'made on the way ends',
    'second begins at 20',
    'second ends',
  ]);
  t.equal(clock.nowMs(), 30);
  clock.stop();
  await clock.advance(10);
  t.equal(done.length, 5, 'nothing after its stop');
});

t.test('a running clock runs due tasks by itself', async (t) => {
  const clock = startClock({ startMs: Date.now() - 1_000_000, speed: 1000 });
  t.teardown(() => clock.stop());
  const { promise, resolve } = Promise.withResolvers<void>();
  const awake = setInterval(() => undefined, 1000); // the clock alone keeps no program running
  t.teardown(() => clearInterval(awake));
  const dueMs = clock.nowMs() + 5000;
  clock.at(dueMs, resolve);
  await promise;
  t.ok(clock.nowMs() >= dueMs);
});
