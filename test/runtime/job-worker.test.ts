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
