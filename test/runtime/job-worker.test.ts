import { mock } from 'node:test';
import { ServiceBroker } from 'moleculer';
import t from 'tap';
import { startJobWorker } from '../../runtime/jobs/job-worker.ts';

t.test('the lease of a job is extended while it runs, and no longer', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const broker = new ServiceBroker({ logger: false });
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  let extended = 0;
  const source = {
    ...{ name: 'test', leaseMs: 30_000, pollMs: 1000, parallel: 1 },
    claim: async () => [],
    extend: async () => {
      extended += 1;
      return true;
    },
    work: () => ended,
  };
  const worker = startJobWorker<string>(source, { broker, logger: broker.logger });
  const running = worker.run('a job');
  mock.timers.tick(30_000);
  t.equal(extended, 3);
  end('done');
  t.equal(await running, 'done');
  mock.timers.tick(30_000);
  t.equal(extended, 3);
  await worker.stop();
});

t.test('a job that fails because the process stops is not logged as failed', async (t) => {
  const warned: unknown[] = [];
  const broker = new ServiceBroker({ logger: false });
  const logger = Object.assign(Object.create(broker.logger), {
    warn: (...words: unknown[]) => warned.push(words),
  });
  await broker.start();
  t.teardown(() => broker.stop());
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string>();
  const jobs = ['first', 'second'];
  const source = {
    ...{ name: 'test', leaseMs: 30_000, pollMs: 5, parallel: 1 },
    claim: async () => jobs.splice(0, 1),
    extend: async () => true,
    async work(job: string) {
      if (job === 'first') throw new Error('its own failure');
      started.resolve();
      return ended.promise;
    },
  };
  const worker = startJobWorker<string>(source, { broker, logger });
  await started.promise;
  t.match(warned, [['job.failed', { kind: 'test', code: 'INTERNAL' }]]);
  const stopped = worker.stop();
  ended.reject(new Error('the database is closed'));
  await stopped;
  t.equal(warned.length, 1);
});
