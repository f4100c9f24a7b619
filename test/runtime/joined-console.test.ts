import { mock } from 'node:test';
import { ServiceBroker } from 'moleculer';
import t, { type Test } from 'tap';
import { loadConfig } from '../../config.ts';
import { brokerOptions } from '../../runtime/broker.ts';

/** What brokers of this process write for people, without the time. */
function written(t: Test): string[] {
  const lines: string[] = [];
  for (const name of ['log', 'warn', 'error'] as const) {
    const own = console[name];
    console[name] = (...[, , ...said]: unknown[]) => void lines.push(said.join(' '));
    t.teardown(() => {
      console[name] = own;
    });
  }
  return lines;
}

const brokerThatWarns = () =>
  new ServiceBroker({
    ...brokerOptions(loadConfig({ LOG_LEVEL: 'warn' })),
    skipProcessEventRegistration: true,
  });

t.test('equal warnings are one line, and their number a minute later', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const lines = written(t);
  const { logger } = brokerThatWarns();
  const warn = (action: string, pauseMs: number) =>
    logger.warn(`Retry to call '${action}' action after ${pauseMs} ms`, { requestID: pauseMs });
  for (const pauseMs of [100, 200, 400]) warn('a.b', pauseMs);
  warn('c.d', 100);
  for (const text of ['failed', 'failed']) logger.error(text);
  t.match(lines, [/'a\.b' action after 100 ms/, /'c\.d' action after 100 ms/, /failed/, /failed/]);
  mock.timers.tick(60_000);
  t.match(lines.slice(4), [/'a\.b' action after 100 ms \(2 times more within a minute\)/]);
  t.equal(lines.length, 5);
  warn('a.b', 100);
  t.match(lines[5], /'a\.b' action after 100 ms/, 'and one of the next minute is printed at once');
});

t.test('a service that is missing while its cluster starts is no warning', async (t) => {
  const lines = written(t);
  const now = mock.method(performance, 'now', () => 1000);
  t.teardown(() => mock.restoreAll());
  const broker = brokerThatWarns();
  t.teardown(() => broker.stop());
  await broker.start();
  await t.rejects(broker.call('users.get'), /users\.get/);
  t.strictSame(lines, []);
  now.mock.mockImplementation(() => 3_600_000);
  await t.rejects(broker.call('users.get'), /users\.get/);
  t.match(lines, [/Service 'users\.get' is not registered/]);
});
