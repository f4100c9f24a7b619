import { mock } from 'node:test';
import t from 'tap';
import { startPeriodicTask } from '../../runtime/jobs/periodic-task.ts';
import { until } from '../support/until.ts';

const task = (work: () => Promise<void>) => {
  const warnings: unknown[][] = [];
  const logger = { warn: (...given: unknown[]) => void warnings.push(given) };
  const stop = startPeriodicTask({ name: 'task', everyMs: 1, work, logger });
  return { stop, warnings };
};

t.test('a failed run is logged without its message, and the next one follows', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  let runs = 0;
  const { stop, warnings } = task(async () => {
    runs += 1;
    if (runs === 1) throw Object.assign(new Error('a row'), { code: '23505' });
  });
  for (const _ of [1, 2, 3]) {
    mock.timers.tick(1);
    await new Promise((next) => setImmediate(next));
  }
  await stop();
  t.equal(runs, 3);
  t.same(warnings, [['periodic_task.failed', { name: 'task', code: '23505' }]]);
});

t.test('a stop waits for the run, and no other follows', async (t) => {
  let runs = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const { stop } = task(() => {
    runs += 1;
    return promise;
  });
  await until(() => runs === 1);
  let isStopped = false;
  const stopped = stop().then(() => {
    isStopped = true;
  });
  await new Promise((next) => setImmediate(next));
  t.equal(isStopped, false);
  resolve();
  await stopped;
  await new Promise((next) => setTimeout(next, 20));
  t.equal(runs, 1);
});
