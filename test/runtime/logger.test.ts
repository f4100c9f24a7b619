import { randomBytes } from 'node:crypto';
import { ServiceBroker } from 'moleculer';
import t from 'tap';
import { loadConfig } from '../../config.ts';
import { loggerFor, loggerOptions } from '../../runtime/telemetry/logger.ts';
import { createWearer, joinApi, startApi } from '../support/api.ts';
import { fullDay } from '../support/full-day.ts';
import { listen } from '../support/log-lines.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';

t.test('entries of a traced request have the ids of its span', async (t) => {
  const logger = jsonLogger();
  const lines = listen(t);
  loggerFor(logger, 'r.1', { traceId: 'a', spanId: 'b', traceFlags: 1 }).warn('e', { took_ms: 1 });
  t.match(lines, [{ request_id: 'r.1', trace_id: 'a', span_id: 'b', took_ms: 1 }]);
});

/** A logger of a broker with LOG_FORMAT=json. */
function jsonLogger() {
  const logger = loggerOptions(loadConfig({ LOG_FORMAT: 'json' }));
  return new ServiceBroker({ logger, nodeID: 'n', skipProcessEventRegistration: true }).getLogger('a');
}

t.test('an entry is one line of JSON with the fields of its event', async (t) => {
  const logger = jsonLogger();
  const lines = listen(t);
  logger.info('delivery.done', { provider: 'x', took_ms: 3 });
  logger.debug('not.logged');
  const [{ time, ...rest } = {}, ...others] = lines;
  t.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  t.same(rest, { provider: 'x', took_ms: 3, level: 'info', service: 'a', node: 'n', event: 'delivery.done' });
  t.same(others, []);
});

t.test('fields cannot replace the standard ones, and no value prevents the entry', async (t) => {
  const logger = jsonLogger();
  const lines = listen(t);
  const circle: Record<string, unknown> = { level: 'mine', event: 'mine', node: 'mine', kept: 1 };
  logger.warn('e', circle);
  circle.self = circle;
  logger.warn('e', circle);
  logger.error('e', new Error('why'));
  logger.info('two\nlines %s', 1n);
  logger.info({ a: 1 });
  logger.info('e', { big: 1n, none: Number.NaN });
  t.match(lines, [
    { level: 'warn', event: 'e', node: 'n', kept: 1 },
    { level: 'warn', event: 'e', kept: 1 },
    { level: 'error', more: [/why/] },
    { event: 'two\nlines %s', more: ['1n'] },
    { event: '{ a: 1 }' },
    { event: 'e', big: 1, none: null },
  ]);
  for (const names of lines.map(Object.keys)) t.equal(new Set(names).size, names.length);
});

t.test('outside a request the logger of the service is used', async (t) => {
  const { logger } = new ServiceBroker({ logger: false });
  for (const requestId of [null, undefined]) t.equal(loggerFor(logger, requestId), logger);
  t.not(loggerFor(logger, 'a request'), logger);
});

t.test('the id of a request is in every line about it, over the bus and behind its answer', async (t) => {
  const lines = listen(t);
  const joined = {
    database: await freshDatabase(t),
    natsUrl: natsUrl(),
    namespace: `test-${randomBytes(6).toString('hex')}`,
    settings: { LOG_FORMAT: 'json', LOG_LEVEL: 'info', RATE_LIMIT_ADDRESS: '100000' },
  };
  await joinApi(t, joined);
  const api = await joinApi(t, { ...joined, services: ['api-gateway'] });
  const { account } = await createWearer(api);
  const day = fullDay({ account, startMs: Date.UTC(2026, 0, 5), seconds: 3600, seed: 1 });
  await api.ask('/api/v1/webhooks/devicemaker/push', {
    body: { dailies: [day] },
    headers: { 'devicemaker-client-id': 'tests', 'X-Request-Id': 'push.7' },
  });
  const worked = lines.filter(({ event }) => event === 'delivery.worked');
  t.equal(worked.length, 1);
  t.match(worked[0], { request_id: 'push.7', provider: 'devicemaker', state: 'done' });
});

t.test('a failure on our side is logged with its request and code, without its message', async (t) => {
  const lines = listen(t);
  const api = await startApi(t, { LOG_FORMAT: 'json', LOG_LEVEL: 'warn' });
  await api.database.query('alter table users.person rename to other');
  const answer = await api.ask('/api/v1/users', { key: api.apiKey, headers: { 'X-Request-Id': 'list.1' } });
  t.equal(answer.status, 500);
  const mine = lines.filter(({ request_id }) => request_id === 'list.1');
  t.same(
    mine.map(({ event, code }) => [event, code]),
    [
      ['action.failed', '42P01'],
      ['request.failed', 'INTERNAL'],
    ],
  );
  t.notMatch(JSON.stringify(mine), /relation|does not exist/);
  t.equal(lines.length, mine.length);
});
